// 2,000 images and 300 routes from a faulty server, with 20 kills: nothing is stored twice or lost.
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import {
  listJson,
  listXml,
  mostAsked,
  routesJson,
  standInKey,
  standInToken,
  startStandIn,
  type Fault,
} from '../helpers/classic-stand-in.ts'
import { newFolder } from '../helpers/folders.ts'
import { get, lists, serving, standInRoute, standInTrail, tokenFor } from './pull-helpers.ts'
import { createKiller, pullKilled } from './pull-kills.ts'

const settings = { XML_EMAIL: 'always', RATE_LIMIT_FACTOR: '1000' }
const numbers = (count: number, from: number): number[] => Array.from({ length: count }, (_, at) => from + at)

/** About one in 40 first requests fails, each in its own way; some fail twice. */
const faults: readonly Fault[] = [
  { status: 429, retryAfter: '0' },
  { status: 429 },
  { status: 500 },
  { status: 503, retryAfter: '1' },
  { cut: 'length' },
  { cut: 'chunked' },
  { cut: 'close' },
  { hangUp: true },
]
function faultOf(address: string, times: number): Fault | undefined {
  const [, digits = ''] = /(\d+)(?:&|\/Images|\/Routes|$)/.exec(address) ?? []
  const number = Number(digits)
  const isOften = /Trails|Accounts/.test(address)
  if (!isOften && number % 40 !== 0) return undefined
  if (times > (number % 80 === 0 ? 1 : 0)) return undefined
  return faults[(number / (isOften ? 1 : 40)) % faults.length]
}

void test('2,000 images and 300 routes with faults, killed 20 times: the same lists, no duplicates, no request sent three times', async (t) => {
  const dataDir = await newFolder(t)
  const killer = createKiller()
  const trails = []
  for (let at = 0; at < 10; at += 1)
    trails.push(await standInTrail(100 + at, numbers(200, 1_000 + 200 * at).toReversed()))
  const accounts = [50, 51, 52, 53, 54, 55]
  const routes = new Map(accounts.map((id, at) => [id, numbers(50, 1 + 50 * at).map(standInRoute)]))
  const standIn = await startStandIn(t, { trails, routes, faultOf, onStep: killer.onStep })
  const args = [
    'pull',
    standIn.base,
    '--api-key',
    standInKey,
    '--rate',
    '1000',
    '--routes-url',
    standIn.routesBase,
    '--trails',
    trails.map(({ id }) => id).join(','),
    ...accounts.flatMap((id) => ['--token', `${id}=${standInToken(id)}`]),
  ]
  const options = { dataDir, settings }
  const document = await pullKilled(args, options, { killer, kills: 20, requests: 2_000 })
  assert.deepEqual([document.left, document.conflicts], [0, 0])
  const max = mostAsked(standIn.asked)
  assert.ok(max.times <= 2, `${max.path} was asked ${max.times} times beyond what faults force`)
  const twice = [...standIn.asked.values()].filter(({ times, faults: wrong }) => times - wrong > 1).length
  t.diagnostic(`asked twice because of kills: ${twice} of ${standIn.asked.size} paths`)
  // Every kill interrupts one request and one write.
  assert.ok(twice <= 2 * 20)
  assert.deepEqual(
    (await readdir(path.join(dataDir, 'pull'))).filter((name) => !name.includes('.lock')),
    [],
  )

  const server = await serving(t, options, 50)
  for (const trail of trails)
    assert.deepEqual(await lists(server, trail.id), { json: listJson(trail), xml: listXml(trail) })
  for (const id of accounts) {
    const token = await tokenFor(server, options, id, 'routes:read')
    const { body } = await get(`${server.url}/Accounts/${id}/Routes`, { token })
    assert.equal(body, routesJson(routes.get(id) ?? []))
  }
})
