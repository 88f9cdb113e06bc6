// Decisions 0135 and 0136: how many statements and round trips a write needs on PostgreSQL. Each round trip delays
// others, since keys are held, and both cost CPU. Adding one must be a deliberate change here. A round trip has one
// response, however many statements it contains.
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { test } from 'node:test'
import { sendJson, sendPhoto } from '../helpers/review-desk.ts'
import { startPostgres, whyNoPostgres } from '../helpers/postgres.ts'
import { tapPostgres, type Turn } from '../helpers/postgres-tap.ts'
import { startTcpProxy } from '../helpers/tcp-proxy.ts'
import { startWaymark } from '../helpers/waymark.ts'

const gpx = `<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>
  <trkpt lat="47.1" lon="8.1"/><trkpt lat="47.2" lon="8.2"/></trkseg></trk></gpx>`

/** Excludes background jobs and rate limits, whose timing varies. */
const isForWrites = (turn: Turn): boolean =>
  !/rate_window|select 1 from outbox_pending|listen |clock/.test(turn.join(' '))

interface Cost {
  /** Of the transaction, including begin and commit. */
  readonly inside: { readonly turns: number; readonly statements: number }
  /** Before and after it, without the sequencer's batch. */
  readonly outside: { readonly turns: number; readonly statements: number }
  /** Of the batch that numbers it. */
  readonly batch: { readonly turns: number; readonly statements: number }
}

const sumOf = (turns: readonly Turn[]) => ({ turns: turns.length, statements: turns.flat().length })

const isBatch = (turn: Turn): boolean => /pg_try_advisory|pg_notify/.test(turn.join(' '))
const isCommit = (turn: Turn): boolean => !isBatch(turn) && turn.includes('commit')

function costOf(turns: readonly Turn[]): Cost {
  const rest = turns.filter((turn) => !isBatch(turn))
  const from = rest.findIndex((turn) => turn.includes('begin'))
  const to = rest.findIndex((turn) => turn.includes('commit'))
  return {
    inside: sumOf(rest.slice(from, to + 1)),
    outside: sumOf([...rest.slice(0, from), ...rest.slice(to + 1)]),
    batch: sumOf(turns.filter(isBatch)),
  }
}

const batch = { turns: 2, statements: 5 } as const

void test(
  'a write sends PostgreSQL no more statements than necessary',
  { skip: whyNoPostgres() },
  async (t) => {
    const server = await startPostgres()
    t.after(() => server.end())
    const url = new URL(await server.createDatabase())
    const turns: Turn[] = []
    const inPieces: Turn[] = []
    const tap = () =>
      tapPostgres((turn, answers) => {
        if (!isForWrites(turn)) return
        turns.push(turn)
        if (answers > 1) inPieces.push(turn)
      })
    const proxy = await startTcpProxy({ port: server.port, tap })
    t.after(() => proxy.end())
    url.port = String(proxy.port)
    const waymark = await startWaymark({
      environment: { DATABASE_URL: url.href, QUOTA_PENDING_IMAGES: '1000', QUOTA_BYTES: '1000000000' },
    })
    t.after(() => waymark.close())
    const trail = await waymark.addTrail(7, 'Rim Trail')
    const ann = await waymark.addPerson()
    const reviewer = await waymark.addPerson({ role: 'admin' })

    /** The cheapest of three, to exclude one-time and unrelated work. */
    async function measure(write: () => Promise<unknown>): Promise<Cost> {
      const costs: Cost[] = []
      for (let time = 0; time < 3; time += 1) {
        while (turns.splice(0).length > 0) await pause(50)
        await write()
        // The batch's notification may arrive, and the write be acknowledged, before the response to its commit; and a batch
        // may number the write before the response to the write's own commit has arrived.
        while (!turns.flat().some((text) => text.includes('pg_notify')) || !turns.some(isCommit))
          await pause(5)
        costs.push(costOf(turns.splice(0)))
      }
      const sumOfCost = ({ inside, outside, batch: numbered }: Cost): number =>
        inside.statements + outside.statements + numbered.statements
      const [cheapest] = costs.toSorted((one, other) => sumOfCost(one) - sumOfCost(other))
      assert.ok(cheapest)
      return cheapest
    }

    const ok = async (answering: Promise<Response>): Promise<string> => {
      const answer = await answering
      const text = await answer.text()
      assert.ok(answer.ok, text)
      return text
    }
    const photos = [
      await sendPhoto(waymark, ann, trail),
      await sendPhoto(waymark, ann, trail),
      await sendPhoto(waymark, ann, trail),
    ]
    const [photo = 0] = photos

    await t.test('an upload', async () => {
      assert.deepEqual(await measure(() => sendPhoto(waymark, ann, trail)), {
        inside: { turns: 2, statements: 18 },
        outside: { turns: 5, statements: 9 },
        batch,
      })
    })

    await t.test('a change of details', async () => {
      let titles = 0
      const change = (): Promise<string> => {
        titles += 1
        const body = { title: `Title ${titles}` }
        return ok(sendJson(waymark, 'PATCH', `/v2/images/${photo}`, { person: ann, body }))
      }
      assert.deepEqual(await measure(change), {
        inside: { turns: 2, statements: 7 },
        outside: { turns: 2, statements: 2 },
        batch,
      })
    })

    await t.test('a decision', async () => {
      const decide = (): Promise<string> => ok(waymark.review(reviewer, photos.shift() ?? 0, 'approve'))
      assert.deepEqual(await measure(decide), {
        inside: { turns: 4, statements: 11 },
        outside: { turns: 2, statements: 2 },
        batch,
      })
    })

    await t.test('a route, and its rename', async () => {
      const routes = `/Accounts/${ann.accountId}/Routes`
      let made = ''
      const make = async (): Promise<void> => {
        const body = [{ name: 'Ridge', description: '', gpx }]
        made = await ok(sendJson(waymark, 'POST', routes, { person: ann, body }))
      }
      assert.deepEqual(await measure(make), {
        inside: { turns: 2, statements: 10 },
        outside: { turns: 1, statements: 1 },
        batch,
      })
      const [id = 0] = /\d+/.exec(made) ?? []
      let names = 0
      const rename = (): Promise<string> => {
        names += 1
        return ok(
          sendJson(waymark, 'PUT', `${routes}/${id}`, { person: ann, body: [{ name: `Ridge ${names}` }] }),
        )
      }
      assert.deepEqual(await measure(rename), {
        inside: { turns: 2, statements: 7 },
        outside: { turns: 0, statements: 0 },
        batch,
      })
    })

    await t.test('in messages with one response each', () => {
      assert.deepEqual(inPieces, [])
    })
  },
)
