// A rolling upgrade (issue 9): nodes of the previous and the current commit with one database and one store.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { tokenOf } from '../faults/harness/installation.ts'
import { startLoad } from '../faults/harness/load.ts'
import { startServer, until } from '../faults/harness/server.ts'
import { findLost } from '../faults/harness/verify.ts'
import { startCluster, whyNoCluster } from '../helpers/cluster.ts'
import { startRouteLoad } from './route-load.ts'

const root = path.resolve(import.meta.dirname, '../..')
const git = (...args: string[]): string =>
  execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' }).trim()

/** The latest earlier commit that could serve from PostgreSQL; the skip reason if there is none. */
function previous(): { readonly commit: string } | { readonly why: string } {
  try {
    const commit = git('rev-parse', 'HEAD~1')
    git('cat-file', '-e', `${commit}:src/database/postgres/postgres.ts`)
    return { commit }
  } catch {
    return { why: 'there is no previous commit here that knows PostgreSQL' }
  }
}

const before = previous()
const skip = 'why' in before ? before.why : whyNoCluster()

void test(
  'a node of the previous commit serves beside a node of this one, and each sees the other’s changes',
  { skip },
  async (t) => {
    if ('why' in before) return
    const folder = await mkdtemp(path.join(tmpdir(), 'waymark-previous-'))
    const ends: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
    t.after(async () => {
      for (const end of ends.toReversed()) await end()
    })
    execFileSync('sh', [
      '-c',
      'git -C "$1" archive "$2" src cli bin client scripts web docs package.json | tar -x -C "$3"',
      'sh',
      root,
      before.commit,
      folder,
    ])
    await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))

    const cluster = await startCluster({ nodes: 1 })
    ends.push(() => cluster.end())
    const old = await startServer({
      dataDir: path.join(folder, 'data'),
      settings: { ...cluster.settings, PORT: '0' },
      program: [path.join(folder, 'bin/waymark.cjs'), 'serve'],
    })
    ends.push(() => old.end('SIGTERM'))
    const [now = ''] = cluster.nodeUrls
    const token = await tokenOf(now, cluster.authorization)
    const me = await fetch(`${old.url}/v2/me`, { headers: { authorization: `Bearer ${token}` } })
    const { acctID } = (await me.json()) as { acctID: number }
    const loads = [now, old.url].map((url, at) => ({
      photos: startLoad({ url, token, clients: 1, firstSeed: 1 + at * 1_000_000 }),
      routes: startRouteLoad({ url, token, accountId: acctID, clients: 2 }),
    }))
    t.after(() => Promise.all(loads.flatMap(({ photos, routes }) => [photos.stop(), routes.stop()])))
    await until(
      () =>
        loads.every(
          ({ photos, routes }) => photos.acknowledged.length >= 10 && routes.acknowledged.size >= 50,
        ),
      'both to have kept photos and routes',
    )
    for (const [at, { photos, routes }] of loads.entries()) {
      await Promise.all([photos.stop(), routes.stop()])
      const other = at === 0 ? old.url : now
      assert.deepEqual(await findLost({ url: other, token }, photos.acknowledged), [])
      assert.deepEqual(await routes.findLost(other), [])
      assert.deepEqual([...photos.others, ...routes.others], [], 'nothing was refused')
    }
    const audited = await fetch(`${now}/v2/changes?since=0&limit=500`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const { items } = (await audited.json()) as { items: { position: number }[] }
    assert.deepEqual(
      items.map(({ position }) => position),
      items.map((_, at) => at + 1),
      'one history, without gaps',
    )
  },
)
