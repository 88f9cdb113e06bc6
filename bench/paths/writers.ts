// Parallel writers on PostgreSQL: how many commit at a time, and three nodes compared with one, with SQLite and with
// another version.
import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { parentOfFolders } from '../../tests/helpers/folders.ts'
import { startPostgres, whyNoPostgres } from '../../tests/helpers/postgres.ts'
import type { Absent, BenchPath, Case, Contender, Ground } from '../parts/bench.ts'
import { createCommitDelay, startPlainCommits } from '../parts/commit-delay.ts'
import { laneContender } from '../parts/lanes.ts'
import { startRenameSite, startRowSite, type Site } from '../parts/writer-sites.ts'

const nodes = 3
const clients = 24
const clientsOfNode = clients / nodes
const slowCommitUs = 50_000
const commitUs = 5_000
/** Each of three nodes gets a third of the writes, and V8 compiles code only after some thousands of runs. */
const warmUpMs = 15_000
/** Pause between the writes of a single client. */
const quietPauseMs = 15
const root = path.resolve(import.meta.dirname, '../..')

const ofThree = 'three nodes'
const ofOne = 'one node'
const ofOneBusy = `one node, ${clients} clients`
const ofOthers = 'the other version'
const onSqlite = 'SQLite'
const plain = 'one commit after another'
const about = `routes renamed and the rows of uploads by ${clients} clients, each with an account, on PostgreSQL`

interface Sites {
  readonly three: Site
  readonly one: Site
}

interface Asked {
  readonly name: string
  readonly clients: number
  readonly pauseMs?: number
}

async function prepare(ground: Ground) {
  const why = whyNoPostgres()
  if (why !== false) {
    const goals = [{ what: 'renames', of: ofThree, to: ofOne, figure: 'rate', atLeast: 2.5 }] as const
    const contenders = [ofThree, ofOne].map((name) => ({ name, absent: why }))
    return { cases: [{ name: 'a route renamed', contenders, goals }], close: async () => undefined }
  }
  const postgres = await startPostgres()
  const inMemory = await mkdtemp(path.join(parentOfFolders(), 'waymark-bench-'))
  const closing: (() => Promise<unknown>)[] = [
    () => postgres.end(),
    () => rm(inMemory, { recursive: true, force: true }),
  ]
  const close = async (): Promise<void> => {
    for (const end of closing.toReversed()) await end()
  }
  const opened = async (starting: Promise<Site>): Promise<Site> => {
    const site = await starting
    closing.push(site.close)
    return site
  }
  const refusals = new Map<string, number>()
  const contenderOf = (site: Site, { name, clients: count, pauseMs }: Asked): Promise<Contender> =>
    laneContender(
      {
        name,
        lanes: site.lanes(count),
        pids: [...site.pids, postgres.pid()],
        death: site.death,
        onRefused: (refused) => refusals.set(name, (refusals.get(name) ?? 0) + refused),
        ...(pauseMs !== undefined && { pauseMs }),
      },
      ground.isQuick ? 50 : warmUpMs,
    )

  try {
    const options = { clients, nodes: 1 }
    const renamers: Sites = {
      three: await opened(startRenameSite(ground, root, { ...options, name: 'three', nodes }, postgres)),
      one: await opened(startRenameSite(ground, root, { ...options, name: 'one' }, postgres)),
    }
    const uploaders: Sites = {
      three: await opened(startRowSite({ folder: inMemory }, { name: 'three', nodes }, postgres)),
      one: await opened(startRowSite({ folder: inMemory }, { name: 'one', nodes: 1 }, postgres)),
    }
    const sqlite = await opened(startRenameSite(ground, root, { ...options, name: 'sqlite' }))
    const { base } = ground
    const others =
      base === undefined
        ? undefined
        : await opened(startRenameSite(ground, base, { ...options, name: 'base' }, postgres))
    const commits = await startPlainCommits(postgres, plain)
    closing.push(commits.close)
    const delay = createCommitDelay(postgres)

    const threeOf = (site: Sites): Promise<Contender> => contenderOf(site.three, { name: ofThree, clients })
    const caseOf = async (what: string, sites: Sites): Promise<Case[]> => {
      const three = await threeOf(sites)
      const one = await contenderOf(sites.one, { name: ofOne, clients: clientsOfNode })
      const busy = await contenderOf(sites.one, { name: ofOneBusy, clients })
      const waiting = (us: number): Case => ({
        name: `${what}, a commit of ${us / 1_000} ms, ${clientsOfNode} clients a node`,
        contenders: [three, one, busy].map((contender) => delay.delayed(us, contender)),
        goals: [
          { what, of: ofThree, to: ofOne, figure: 'rate', atLeast: 2.5 },
          { what: `${what}, as many clients`, of: ofThree, to: ofOneBusy, figure: 'rate' },
        ],
        sliceMs: 1_500,
      })
      return [
        waiting(commitUs),
        waiting(slowCommitUs),
        {
          name: `${what}, ${clients} clients, no delay`,
          contenders: [three, busy].map((contender) => delay.delayed(0, contender)),
          goals: [
            { what: `${what}, with PostgreSQL`, of: ofThree, to: ofOneBusy, figure: 'cpu', atMost: 1.1 },
            { what, of: ofThree, to: ofOneBusy, figure: 'rate' },
          ],
          sliceMs: 1_500,
        },
      ]
    }
    const slow = delay.delayed(slowCommitUs, await threeOf(renamers))
    const onPostgres = delay.delayed(0, await contenderOf(renamers.one, { name: ofOne, clients }))
    const atTheFile = delay.delayed(0, await contenderOf(sqlite, { name: onSqlite, clients }))
    const quiet = { clients: 1, pauseMs: quietPauseMs }
    const alone = delay.delayed(0, await contenderOf(renamers.one, { name: ofOne, ...quiet }))
    const noOthers: Absent = { name: ofOthers, absent: 'no folder of another version was given (--base).' }
    const before =
      others === undefined
        ? noOthers
        : delay.delayed(0, await contenderOf(others, { name: ofOthers, ...quiet }))
    return {
      cases: [
        {
          name: `${nodes} nodes, ${clients} clients, a commit of ${slowCommitUs / 1_000} ms`,
          contenders: [slow, delay.delayed(slowCommitUs, commits.contender)],
          goals: [
            { what: 'renames committing at a time', of: ofThree, to: plain, figure: 'rate', atLeast: 12 },
          ] as const,
          sliceMs: 3_000,
        },
        ...(await caseOf('renames', renamers)),
        ...(await caseOf('rows of uploads', uploaders)),
        {
          name: `renames, one node, ${clients} clients, no delay`,
          contenders: [onPostgres, atTheFile],
          goals: [
            { what: 'renames', of: ofOne, to: onSqlite, figure: 'rate', atLeast: 0.6 },
            { what: 'renames, with PostgreSQL', of: ofOne, to: onSqlite, figure: 'cpu' },
          ] as const,
          disk: { folder: ground.folder, bytes: 2_000 },
        },
        {
          name: 'one client renames now and then',
          contenders: [alone, before],
          goals: [{ what: 'a quiet write', of: ofOne, to: ofOthers, figure: 'p50', atMost: 1.3 }] as const,
          sliceMs: 1_500,
        },
      ],
      close: async () => {
        for (const [name, count] of refusals)
          if (count > 0) ground.note(`${count} writes were refused because too many were waiting (${name}).`)
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

export const writersPath: BenchPath = { name: 'writers', about, prepare }
