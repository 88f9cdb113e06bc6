// waymark pull into an installation on PostgreSQL, with its server running, killed in between.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  listJson,
  listXml,
  mostAsked,
  routesJson,
  standInKey,
  standInToken,
  startStandIn,
} from '../helpers/classic-stand-in.ts'
import { newFolder } from '../helpers/folders.ts'
import { startPostgres, whyNoPostgres } from '../helpers/postgres.ts'
import { get, lists, serving, standInRoute, standInTrail, tokenFor } from './pull-helpers.ts'
import { createKiller, pullKilled } from './pull-kills.ts'
import { done } from './run-waymark.ts'

const numbers = (count: number, from: number): number[] => Array.from({ length: count }, (_, at) => from + at)

void test(
  'PostgreSQL: 120 images and 40 routes, killed 5 times beside a running server',
  { skip: whyNoPostgres() },
  async (t) => {
    const postgres = await startPostgres()
    t.after(() => postgres.end())
    const settings = {
      DATABASE_URL: await postgres.createDatabase(),
      XML_EMAIL: 'always',
      RATE_LIMIT_FACTOR: '1000',
    }
    const options = { dataDir: await newFolder(t), settings }
    const killer = createKiller()
    const trails = [
      await standInTrail(7, numbers(60, 1).toReversed()),
      await standInTrail(8, numbers(60, 100)),
    ]
    const routes = new Map([[51, numbers(40, 1).map(standInRoute)]])
    const standIn = await startStandIn(t, { trails, routes, onStep: killer.onStep })
    await done(['accounts', 'create', '--id', '9', '--name', 'Staff', '--email', 's@trails.example'], options)
    const server = await serving(t, options, 9)
    for (const { id } of trails) {
      const before = await get(`${server.url}/Trails/${id}/Images/`, { key: server.key })
      assert.equal(before.status, 404)
    }
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
      '7,8',
      '--token',
      `51=${standInToken(51)}`,
    ]
    const document = await pullKilled(args, options, { killer, kills: 5, requests: 120 })
    assert.deepEqual([document.left, document.conflicts], [0, 0])
    assert.ok(mostAsked(standIn.asked).times <= 2)
    for (const trail of trails)
      assert.deepEqual(await lists(server, trail.id), { json: listJson(trail), xml: listXml(trail) })
    const token = await tokenFor(server, options, 51, 'routes:read')
    const { body } = await get(`${server.url}/Accounts/51/Routes`, { token })
    assert.equal(body, routesJson(routes.get(51) ?? []))

    // Again, with one photo more in the middle: the running server shows the other server's order.
    const [seven] = trails
    assert.ok(seven)
    const [added] = (await standInTrail(7, [500])).images
    assert.ok(added)
    seven.images.splice(30, 0, added)
    await done(args, options)
    assert.deepEqual(await lists(server, 7), { json: listJson(seven), xml: listXml(seven) })
  },
)
