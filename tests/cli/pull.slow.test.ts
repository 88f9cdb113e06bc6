// waymark pull from a server with Part A only: what is imported, what is reported, and a second pull.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
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
} from '../helpers/classic-stand-in.ts'
import { newFolder } from '../helpers/folders.ts'
import {
  codesOf,
  get,
  lists,
  readReport,
  serving,
  standInRoute,
  standInTrail,
  tokenFor,
  type PullDocument,
} from './pull-helpers.ts'
import { runJson } from './run-waymark.ts'

/** Email addresses are shown as by the stand-in. */
const settings = { XML_EMAIL: 'always', RATE_LIMIT_FACTOR: '1000' }

void test('XML only, two prefixes, slow: lists and routes are identical byte by byte, and a second pull stores nothing', async (t) => {
  const dataDir = await newFolder(t)
  const own = await newFolder(t)
  const trails = [
    await standInTrail(7, [31, 12, 900_001, 40, 5]),
    await standInTrail(8, [9_007_199_254_740_991, 3]),
  ]
  const routes = new Map([[51, [1, 2, 4, 30].map(standInRoute)]])
  const standIn = await startStandIn(t, { trails, routes, isSlow: true })
  const report = path.join(own, 'report.json')
  await writeFile(path.join(own, 'key'), `${standInKey}\n`)
  await writeFile(path.join(own, 'tokens'), `# of members\n51=${standInToken(51)}\n`)
  const args = ['pull', standIn.base, '--api-key', `@${path.join(own, 'key')}`, '--trails', '7,8']
  const more = ['--token', path.join(own, 'tokens'), '--routes-url', standIn.routesBase, '--rate', '1000']
  const options = { dataDir, settings }
  const pull = (...others: string[]) => runJson([...args, ...more, '--report', report, ...others], options)

  const first = await pull()
  const document = first.document as PullDocument
  assert.deepEqual([first.exitCode, first.stderr], [0, ''], JSON.stringify(document))
  assert.deepEqual(
    [document.trails.new, document.images.new, document.routes.new, document.requests],
    [2, 7, 4, 2 + 7 + 1],
  )
  assert.equal(document.left + document.conflicts, 0)

  const server = await serving(t, options, 51)
  for (const trail of trails)
    assert.deepEqual(await lists(server, trail.id), { json: listJson(trail), xml: listXml(trail) })
  const token = await tokenFor(server, options, 51, 'routes:read')
  const own51 = await get(`${server.url}/Accounts/51/Routes`, { token })
  assert.equal(own51.body, routesJson(routes.get(51) ?? []))

  // With the server running, and an addition, a change and a deletion on the other side.
  standIn.forgetAsked()
  const seven = trails[0] as (typeof trails)[0]
  const [changed, , gone] = seven.images
  assert.ok(changed && gone)
  changed.title = 'Another title'
  const added = (await standInTrail(7, [77])).images
  seven.images = [seven.images[0], seven.images[1], ...added, ...seven.images.slice(3)].filter(
    (image) => image !== undefined,
  )
  const second = await pull()
  const again = second.document as PullDocument
  assert.equal(second.exitCode, 0)
  assert.deepEqual(again.images, {
    new: 1,
    changed: 1,
    unchanged: 5,
    originals: 0,
    bytes: added[0]?.bytes.length,
  })
  assert.deepEqual(again.routes, { new: 0, changed: 0, unchanged: 4 })
  assert.equal(again.requests, 2 + 1 + 1)
  assert.deepEqual(
    codesOf(await readReport(own)).filter((code) => code.startsWith('image')),
    [`image ${gone.imageID} no-longer-there`],
  )
  // Photos deleted there stay here, in their place; a new one has the same position as there.
  const ids = [...(await lists(server, 7)).json.matchAll(/"imageID":(\d+)/g)].map(([, id]) => Number(id))
  assert.deepEqual(
    ids.filter((id) => id !== gone.imageID),
    seven.images.map(({ imageID }) => imageID),
  )
  assert.equal(mostAsked(standIn.asked).times, 1)
})
