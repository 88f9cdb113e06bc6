// waymark pull on a disk that is full: one sentence, and the same command goes on once there is room again.
import assert from 'node:assert/strict'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import {
  listJson,
  mostAsked,
  routesJson,
  standInKey,
  standInToken,
  startStandIn,
} from '../helpers/classic-stand-in.ts'
import { createSmallDisk, whyNoMounts } from '../faults/harness/disks.ts'
import {
  get,
  lists,
  serving,
  standInRoute,
  standInTrail,
  tokenFor,
  type PullDocument,
} from './pull-helpers.ts'
import { assertOneSentence, done, run } from './run-waymark.ts'

const settings = { RATE_LIMIT_FACTOR: '1000' }
const numbers = (count: number, from: number): number[] => Array.from({ length: count }, (_, at) => from + at)

type Step = 'came' | 'half' | 'sent'

/** When the disk fills up: at the n-th request of this kind in a run, and at which step of it. */
const moments: readonly (readonly [kind: RegExp, nth: number, step: Step])[] = [
  [/\/Trails\//, 1, 'came'],
  [/\/Trails\//, 2, 'half'],
  [/ImageHandler/, 3, 'came'],
  [/ImageHandler/, 4, 'half'],
  [/ImageHandler/, 6, 'sent'],
  [/\/Accounts\//, 1, 'half'],
]
/** Below the two minutes that a server may be silent, which a request that nobody reads would have to wait for. */
const maxRunMs = 100_000

/** Writes until there is no room for one more byte. */
function fill(file: string): void {
  const handle = openSync(file, 'a')
  try {
    for (let size = 1024 ** 2; size >= 1;)
      try {
        writeSync(handle, Buffer.alloc(size))
      } catch {
        size = size > 1 ? Math.ceil(size / 16) : 0
      }
  } finally {
    closeSync(handle)
  }
}

void test(
  'a disk that fills up at six moments: the pull ends with one sentence, and nothing is lost or doubled',
  { skip: whyNoMounts() },
  async (t) => {
    const disk = await createSmallDisk({ megabytes: 64 })
    t.after(() => disk.remove())
    const ballast = path.join(disk.folder, 'ballast')
    const trails = [await standInTrail(7, numbers(20, 1_000)), await standInTrail(8, numbers(20, 2_000))]
    const routes = new Map([
      [51, numbers(10, 1).map(standInRoute)],
      [52, numbers(10, 20).map(standInRoute)],
    ])
    let wanted: (typeof moments)[number] | undefined
    let seen = 0
    const standIn = await startStandIn(t, {
      trails,
      routes,
      formats: 'json',
      onStep: (step, address) => {
        if (wanted === undefined || step !== wanted[2] || !wanted[0].test(address)) return
        seen += 1
        if (seen < wanted[1]) return
        wanted = undefined
        fill(ballast)
      },
    })
    const args = [
      'pull',
      standIn.base,
      '--api-key',
      standInKey,
      '--rate',
      '1000',
      '--trails',
      '7,8',
      '--routes-url',
      standIn.routesBase,
      ...[...routes.keys()].flatMap((id) => ['--token', `${id}=${standInToken(id)}`]),
    ]
    const options = { dataDir: path.join(disk.folder, 'data'), settings }
    /** Ends at the disk, soon, and without a word about the other server. */
    async function endsAtDisk(): Promise<void> {
      const begunAt = performance.now()
      const ended = await run(args, options)
      assert.deepEqual([ended.exitCode, ended.stdout], [2, ''], ended.stderr)
      assertOneSentence(ended.stderr)
      assert.match(ended.stderr, /disk/)
      assert.ok(performance.now() - begunAt < maxRunMs, `it took ${performance.now() - begunAt} ms`)
    }

    for (const [at, moment] of moments.entries()) {
      wanted = moment
      seen = 0
      await endsAtDisk()
      assert.equal(wanted, undefined, `the disk filled up at ${String(moment)}`)
      if (at === 2) await endsAtDisk() // there is no room yet
      rmSync(ballast)
    }
    const last = (await done(args, options)) as PullDocument
    assert.deepEqual([last.resumed, last.left, last.conflicts], [true, 0, 0])
    const most = mostAsked(standIn.asked)
    assert.ok(most.times <= 2, `${most.path} was asked ${most.times} times`)
    const rest = await readdir(path.join(options.dataDir, 'pull'))
    assert.deepEqual(
      rest.filter((name) => !name.includes('.lock')),
      [],
    )

    const server = await serving(t, options, 51)
    for (const trail of trails) assert.equal((await lists(server, trail.id)).json, listJson(trail))
    for (const [id, own] of routes) {
      const token = await tokenFor(server, options, id, 'routes:read')
      assert.equal((await get(`${server.url}/Accounts/${id}/Routes`, { token })).body, routesJson(own))
    }
    assert.notEqual(((await done(['check', '--store', '--audit'], options)) as { ok?: boolean }).ok, false)
  },
)
