// waymark pull, repeated: what people change here while it is under way is kept, and what was adapted is no conflict.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { standInKey, standInToken, startStandIn } from '../helpers/classic-stand-in.ts'
import { newFolder } from '../helpers/folders.ts'
import {
  codesOf,
  lists,
  serving,
  standInImage,
  standInRoute,
  standInTrail,
  tokenFor,
} from './pull-helpers.ts'
import type { PullDocument } from './pull-helpers.ts'
import { done, runJson } from './run-waymark.ts'

void test('photos that are edited or deleted here while another photo is loading are not overwritten', async (t) => {
  const options = { dataDir: await newFolder(t), settings: { RATE_LIMIT_FACTOR: '1000' } }
  const trail = await standInTrail(7, [1, 2, 3, 4])
  const asked = Promise.withResolvers<void>()
  const edited = Promise.withResolvers<void>()
  const standIn = await startStandIn(t, {
    trails: [trail],
    holdOf: (path) => {
      if (!path.includes('id=9&')) return undefined
      asked.resolve()
      return edited.promise
    },
  })
  const args = ['pull', standIn.base, '--api-key', standInKey, '--rate', '1000', '--trails', '7']
  await done(args, options)

  const server = await serving(t, options, 51)
  const staffOptions = ['--id', '90', '--name', 'Staff', '--email', 's@trails.example', '--role', 'admin']
  await done(['accounts', 'create', ...staffOptions], options)
  const staff = await tokenFor(server, options, 90, 'images:write images:review')
  const call = async (method: string, id: number, body?: object): Promise<void> => {
    const response = await fetch(`${server.url}/v2/images/${id}`, {
      method,
      headers: { authorization: `Bearer ${staff}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    assert.ok(response.ok, `${method} ${id}: ${response.status}`)
  }

  for (const image of trail.images) image.title = 'Edited there'
  trail.images.unshift(await standInImage(9))
  const pulling = runJson(args, options)
  await asked.promise
  await call('PATCH', 2, { title: 'Edited here' })
  await call('DELETE', 3)
  edited.resolve()
  const { exitCode, document } = await pulling
  const result = document as PullDocument
  const rows = JSON.parse((await lists(server, 7)).json) as Record<string, unknown>[]
  assert.deepEqual(
    rows.map(({ imageID, title }) => [imageID, title]),
    [
      [9, 'Photo 9 <& "view">'],
      [1, 'Edited there'],
      [2, 'Edited here'],
      [4, 'Edited there'],
    ],
  )
  assert.deepEqual([exitCode, codesOf(result)], [2, ['image 2 edited-here', 'image 3 deleted-here']])
  assert.deepEqual([result.images.new, result.images.changed, result.images.unchanged], [1, 3, 1])
})

void test('a route whose new gpx would be refused stays as it is here, and the others still follow', async (t) => {
  const options = { dataDir: await newFolder(t), settings: { RATE_LIMIT_FACTOR: '1000' } }
  const own = [1, 2].map(standInRoute)
  const standIn = await startStandIn(t, { trails: [], routes: new Map([[51, own]]) })
  const token = ['--token', `51=${standInToken(51)}`, '--routes-url', standIn.routesBase]
  const args = ['pull', standIn.base, '--api-key', standInKey, '--rate', '1000', ...token]
  await done(args, options)
  const [first, second] = own
  assert.ok(first && second)
  own[0] = { ...first, gpx: '<gpx>' }
  second.name = 'Renamed there'
  const { exitCode, document } = await runJson(args, options)
  const result = document as PullDocument
  assert.deepEqual([exitCode, codesOf(result)[0]], [2, 'route 1 gpx-refused'])
  assert.deepEqual([result.routes.changed, result.routes.unchanged], [1, 1])
})

void test('a trail whose slug cannot be used here is no conflict at the next pull, and follows a new name', async (t) => {
  const options = { dataDir: await newFolder(t), settings: { RATE_LIMIT_FACTOR: '1000' } }
  const trail = { id: 7, name: 'Rim', slug: '/trails/rim', images: [await standInImage(1)] }
  const standIn = await startStandIn(t, { trails: [trail] })
  const args = ['pull', standIn.base, '--api-key', standInKey, '--rate', '1000', '--trails', '7']
  const pull = async () => {
    const { exitCode, document } = await runJson(args, options)
    const result = document as PullDocument
    return { exitCode, codes: codesOf(result), trails: result.trails }
  }
  const counts = { new: 0, changed: 0, unchanged: 0 }
  const changed = ['trail 7 slug-changed']
  assert.deepEqual(await pull(), { exitCode: 0, codes: changed, trails: { ...counts, new: 1 } })
  assert.deepEqual(await pull(), { exitCode: 0, codes: [], trails: { ...counts, unchanged: 1 } })
  trail.name = 'Rim Trail'
  assert.deepEqual(await pull(), { exitCode: 0, codes: changed, trails: { ...counts, changed: 1 } })
  assert.deepEqual(await pull(), { exitCode: 0, codes: [], trails: { ...counts, unchanged: 1 } })
  const server = await serving(t, options, 51)
  assert.match((await lists(server, 7)).json, /"detailUrl":"rim-trail".*"trailName":"Rim Trail"/)

  await done(['trails', 'add', '--id', '7', '--name', 'Ours', '--slug', 'ours'], options)
  trail.name = 'Theirs'
  const edited = await pull()
  assert.deepEqual([edited.exitCode, edited.codes], [2, ['trail 7 trail-differs-here']])
})

void test('a submitter with several names in one list gets one of them, and the same at every pull', async (t) => {
  const options = { dataDir: await newFolder(t), settings: { RATE_LIMIT_FACTOR: '1000' } }
  const names = ['Ann', 'Anna', 'Ann', 'Anna']
  const images = await Promise.all(
    names.map((displayName, at) => standInImage(at + 1, { submitterAcctID: 60, displayName })),
  )
  const standIn = await startStandIn(t, { trails: [{ id: 7, name: 'Rim', slug: 'rim', images }] })
  const args = ['pull', standIn.base, '--api-key', standInKey, '--rate', '1000', '--trails', '7', '--xml']
  const pull = async () => ((await done(args, options)) as PullDocument).accounts
  assert.deepEqual(await pull(), { new: 1, changed: 0, unchanged: 0 })
  assert.deepEqual((await pull()).changed, 0)
  const server = await serving(t, options, 60)
  assert.match((await lists(server, 7)).json, /"displayName":"Ann"/)

  for (const image of images) image.displayName = 'Annabel'
  const last = images.at(-1)
  assert.ok(last)
  last.email = 'ann@trails.example'
  assert.deepEqual((await pull()).changed, 2, 'the name, and the address that only the last of them has')
  assert.deepEqual((await pull()).changed, 0)
})
