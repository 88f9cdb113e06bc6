// waymark pull killed at random moments until it comes to its end: nothing is lost, doubled or requested a third time.
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import {
  listJson,
  mostAsked,
  routesJson,
  standInKey,
  standInToken,
  startStandIn,
} from '../helpers/classic-stand-in.ts'
import { newFolder } from '../helpers/folders.ts'
import { createDie } from '../helpers/turns.ts'
import { get, lists, serving, standInRoute, standInTrail, tokenFor } from './pull-helpers.ts'
import { createKiller, pullKilledAtRandom } from './pull-kills.ts'
import { done } from './run-waymark.ts'

const settings = { RATE_LIMIT_FACTOR: '1000' }
const numbers = (count: number, from: number): number[] => Array.from({ length: count }, (_, at) => from + at)
const accounts = [50, 51, 52, 53]
const photosOfTrail = 18
/** One request for each photo, and for each list of photos or routes. */
const requests = 2 * (photosOfTrail + 1) + accounts.length
/** Of one run. */
const most = 14

async function testSeed(t: TestContext, seed: number): Promise<void> {
  const killer = createKiller()
  const trails = [
    await standInTrail(7, numbers(photosOfTrail, 1_000).toReversed()),
    await standInTrail(8, numbers(photosOfTrail, 2_000)),
  ]
  const routes = new Map(accounts.map((id, at) => [id, numbers(10, 1 + 10 * at).map(standInRoute)]))
  const standIn = await startStandIn(t, { trails, routes, formats: 'json', onStep: killer.onStep })
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
    ...accounts.flatMap((id) => ['--token', `${id}=${standInToken(id)}`]),
  ]
  const options = { dataDir: await newFolder(t), settings }
  const { document, kills } = await pullKilledAtRandom(args, options, { killer, die: createDie(seed), most })
  t.diagnostic(`${kills} kills`)
  assert.ok(kills >= Math.floor(requests / (most + 1)), `${kills} kills`)
  assert.deepEqual([document.resumed, document.left, document.conflicts], [true, 0, 0])
  const asked = mostAsked(standIn.asked)
  assert.ok(asked.times <= 2, `${asked.path} was asked ${asked.times} times`)
  const rest = await readdir(path.join(options.dataDir, 'pull'))
  assert.deepEqual(
    rest.filter((name) => !name.includes('.lock')),
    [],
  )

  const server = await serving(t, options, 50)
  for (const trail of trails) assert.equal((await lists(server, trail.id)).json, listJson(trail))
  for (const id of accounts) {
    const token = await tokenFor(server, options, id, 'routes:read')
    const { body } = await get(`${server.url}/Accounts/${id}/Routes`, { token })
    assert.equal(body, routesJson(routes.get(id) ?? []))
  }
  assert.notEqual(((await done(['check', '--store', '--audit'], options)) as { ok?: boolean }).ok, false)
}

for (const seed of [27, 1_126])
  void test(`killed at random moments, seed ${seed}: the same lists as there`, (t) => testSeed(t, seed))
