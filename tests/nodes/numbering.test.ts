// Between a writer's commit and its number in the feed (issue 26): nodes, sessions and PostgreSQL die there, and two
// nodes both want to number.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { Client } from 'pg'
import { lockSpace, numberingLock } from '../../src/database/postgres/locks.ts'
import { prepare, tokenOf } from '../faults/harness/installation.ts'
import { runWaymark, startServer, until, type Server } from '../faults/harness/server.ts'
import { startPostgres, whyNoPostgres, type PostgresServer } from '../helpers/postgres.ts'
import { findGaps, readStored } from './kills/audit.ts'
import { createAsker, isUnknown, type Answer, type Asker } from './kills/ask.ts'

/** PostgreSQL ends sessions that are idle in a transaction for 10 s (src/database/postgres/connections.ts). */
const silentHolderMs = 25_000
/** A writer waits 2 s for its number (src/database/postgres/sequencer.ts); this leaves half of it for the numbering. */
const soonMs = 1_000
/** Rows of a dead node are numbered by another, even if that has nothing to write. */
const leftMs = 10_000

void describe('committed events without a number', { skip: whyNoPostgres() }, () => {
  let postgres: PostgresServer
  let asker: Asker
  let folder = ''
  let databaseUrl = ''
  let servers: Server[] = []
  let token = ''
  let accountId = 0
  let made = 0
  /** A session of the test that holds locks needed by the nodes. */
  let holder: Client

  before(async () => {
    postgres = await startPostgres()
    // Delays flushing of asynchronous commits, as on a busy disk.
    await postgres.query(`alter system set wal_writer_delay = '10s'`)
    await postgres.query('select pg_reload_conf()')
    asker = createAsker()
  })

  after(async () => {
    asker?.end()
    await postgres?.end()
  })

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'waymark-numbering-'))
    databaseUrl = await postgres.createDatabase()
    const settings = { DATABASE_URL: databaseUrl, SECRET_FILE: path.join(folder, 'secret') }
    const authorization = await prepare(path.join(folder, 'first'), settings)
    servers = []
    for (const at of [0, 1])
      servers.push(await startServer({ dataDir: path.join(folder, `node${at}`), settings }))
    token = await tokenOf(urlOf(0), authorization)
    const me = await asker.ask({ url: `${urlOf(0)}/v2/me`, token })
    accountId = (JSON.parse(me.body) as { acctID: number }).acctID
    await holdAgain()
  })

  afterEach(async () => {
    await holder.end().catch(() => undefined)
    for (const server of servers) {
      if (server.isRunning()) process.kill(server.pid, 'SIGCONT')
      await server.end('SIGKILL')
    }
    await rm(folder, { recursive: true, force: true })
  })

  async function holdAgain(): Promise<void> {
    holder = new Client({ connectionString: databaseUrl })
    holder.on('error', () => undefined)
    await holder.connect()
  }

  const urlOf = (at: number): string => servers[at]?.url ?? ''
  const ask = async (text: string): Promise<Record<string, unknown>[]> =>
    (await holder.query<Record<string, unknown>>(text)).rows
  const hold = (): Promise<unknown> => ask(`select pg_advisory_lock(${lockSpace}, ${numberingLock})`)
  const letGo = (): Promise<unknown> => ask(`select pg_advisory_unlock(${lockSpace}, ${numberingLock})`)

  function create(at: number): Promise<Answer> {
    made += 1
    const body = JSON.stringify({ name: `Route ${made}`, gpx: '' })
    return asker.ask({ url: `${urlOf(at)}/Accounts/${accountId}/Routes`, method: 'POST', token, body })
  }

  const untilLeft = (count: number): Promise<void> =>
    until(async () => {
      const [row] = await ask('select count(*)::int as count from outbox_pending')
      return row?.['count'] === count
    }, `${count} rows without a number`)

  /** Sessions of nodes with such a statement; uses no transaction, which would always see the same snapshot. */
  const sessionsAt = (pattern: string): Promise<readonly Record<string, unknown>[]> =>
    postgres.query(`select pid from pg_stat_activity where application_name like 'waymark%' and state <> 'idle'
      and query ilike '%${pattern}%'`)

  /** Each acknowledged route exists with one event; each of the others has one event or never existed. */
  async function judge(answers: readonly Answer[]): Promise<void> {
    const { events, routes, ...feed } = await readStored(databaseUrl)
    assert.deepEqual(findGaps({ events, routes, ...feed }), [])
    const reported = events.map(({ data }) => (JSON.parse(data) as { routeID: number }).routeID)
    assert.deepEqual(
      reported.toSorted((one, other) => one - other),
      routes.map(({ id }) => id).toSorted((one, other) => one - other),
      'one event for each route',
    )
    for (const { status, body } of answers)
      if (status === 201)
        assert.ok(reported.includes(Number(body)), `route ${body} was acknowledged and is lost`)
      else assert.ok(isUnknown({ status, body }), `${status}: ${body}`)
    const settings = { DATABASE_URL: databaseUrl, SECRET_FILE: path.join(folder, 'secret') }
    const checked = await runWaymark(['check', '--audit', '--json'], {
      dataDir: path.join(folder, 'first'),
      settings,
    })
    assert.equal(checked.code, 0, checked.stdout + checked.stderr)
  }

  void test('PostgreSQL crashes between commit and numbering: what it lost is never acknowledged', async () => {
    await hold()
    const [{ pid } = {}] = await ask('select pg_backend_pid() as pid')
    const asked = create(0)
    await untilLeft(1)
    // Killing one session restarts PostgreSQL, which loses unflushed data.
    process.kill(Number(pid), 'SIGKILL')
    const answer = await asked
    await until(
      () =>
        holdAgain().then(
          () => true,
          () => false,
        ),
      'PostgreSQL to be there again',
    )
    const answers = [answer]
    await until(async () => {
      answers.push(await create(1))
      return answers.at(-1)?.status === 201
    }, 'the other node to write again')
    await judge(answers)
  })

  void test('a node dies between commit and numbering: another node numbers what is left, even with nothing to write itself', async () => {
    await hold()
    const asked = [create(0), create(0)]
    await untilLeft(2)
    await servers[0]?.end('SIGKILL')
    await letGo()
    await until(
      async () => (await ask('select 1 as one from outbox_pending')).length === 0,
      'what was left to be numbered',
      leftMs,
    )
    await judge([...(await Promise.all(asked)), await create(1)])
  })

  void test('the numbering session is terminated before its batch: the next one numbers, and every request gets a response', async () => {
    await hold()
    const begun = performance.now()
    const asked = [create(0), create(1), create(0)]
    await untilLeft(3)
    await until(async () => (await sessionsAt('outbox_pending')).length > 0, 'somebody to wait for the lock')
    await ask(`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'waymark%'
      and state <> 'idle' and query ilike '%outbox_pending%'`)
    await letGo()
    const isSoon = performance.now() - begun < soonMs
    const answers = await Promise.all(asked)
    // On a busy machine, so much time passes until here that a writer may be right to say that it has no number yet.
    if (isSoon)
      assert.deepEqual(
        answers.map(({ status }) => status),
        [201, 201, 201],
      )
    await judge(answers)
  })

  /** Blocks a write to the outbox until the test releases its lock. */
  async function stopInBatch(): Promise<void> {
    await ask(`create function wait_for_test() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(1, 1); return null; end $$`)
    await ask('create trigger wait_for_test after insert on outbox execute function wait_for_test()')
    await ask('select pg_advisory_lock(1, 1)')
  }
  const goOn = (): Promise<unknown> => ask('select pg_advisory_unlock(1, 1)')

  void test('the numbering session is terminated during its batch: the batch is rolled back, and the next one numbers everything', async () => {
    await stopInBatch()
    const asked = [create(0), create(1), create(0)]
    await until(async () => (await sessionsAt('insert into outbox (')).length > 0, 'a batch under way')
    await ask(`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'waymark%'
      and state <> 'idle' and query ilike '%insert into outbox (%'`)
    await goOn()
    await judge(await Promise.all(asked))
  })

  void test('the node dies after its batch is committed, before it reports so: each event is there once', async () => {
    await stopInBatch()
    const asked = [create(0), create(0)]
    await until(async () => (await sessionsAt('insert into outbox (')).length > 0, 'a batch under way')
    const { pid = 0 } = servers[0] ?? {}
    process.kill(pid, 'SIGSTOP')
    await goOn()
    await until(
      async () => (await sessionsAt('insert into outbox (')).length === 0,
      'the batch to be committed',
    )
    await servers[0]?.end('SIGKILL')
    await judge([...(await Promise.all(asked)), await create(1)])
  })

  void test('two nodes try to number: the one that was stopped finds that the other has done so', async () => {
    await ask('begin; lock table image_history in access exclusive mode')
    const stopped = create(0)
    await until(async () => (await sessionsAt('from image_history')).length > 0, 'a batch that reads')
    const { pid = 0 } = servers[0] ?? {}
    process.kill(pid, 'SIGSTOP')
    await ask('commit')
    const answers: Answer[] = []
    await until(
      async () => {
        answers.push(await create(1))
        return answers.at(-1)?.status === 201
      },
      'the other node to write again',
      silentHolderMs,
    )
    process.kill(pid, 'SIGCONT')
    answers.push(await stopped, await create(0), await create(1))
    assert.deepEqual(
      answers.slice(-2).map(({ status }) => status),
      [201, 201],
    )
    await judge(answers)
  })
})
