// waymark pull from a Waymark behind a filter that allows only classic paths, killed in between.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mostAsked } from '../helpers/classic-stand-in.ts'
import { startClassicFilter } from '../helpers/classic-filter.ts'
import { newFolder } from '../helpers/folders.ts'
import { jpegPicture, pngPicture } from '../helpers/pictures.ts'
import { get, gpxOf, lists, serving, tokenFor, type Listing } from './pull-helpers.ts'
import { createKiller, pullKilled } from './pull-kills.ts'
import { done, type RunOptions } from './run-waymark.ts'

const settings = { RATE_LIMIT_FACTOR: '1000' }
const photosOfTrail = 60
const routesOfMember = 25

interface Source extends Listing {
  readonly tokens: ReadonlyMap<number, string>
}

async function upload(server: Listing, token: string, trailId: number, seed: number): Promise<void> {
  const isPng = seed % 3 === 0
  const size = { width: 20 + (seed % 13), height: 14 + (seed % 9), seed }
  const body = new Uint8Array(isPng ? await pngPicture(size) : await jpegPicture(size))
  const headers = { authorization: `Bearer ${token}` }
  const images = `${server.url}/Trails/${trailId}/Images/`
  const made = await fetch(images, {
    method: 'POST',
    headers: { ...headers, 'content-type': isPng ? 'image/png' : 'image/jpeg' },
    body,
  })
  assert.equal(made.status, 201, await made.clone().text())
  const id = await made.text()
  if (seed % 5 === 0) return
  const title = seed % 4 === 0 ? ' ' : `No. ${seed} / <b>`
  const details = { title, caption: 'Line one\r\nline two', lat: `45.${seed}00`, lon: '-122.50' }
  const put = await fetch(`${images}${id}`, {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(details),
  })
  assert.equal(put.status, 200, await put.text())
}

async function addRoute(server: Listing, token: string, account: number, seed: number): Promise<void> {
  const route = {
    name: `Round ${seed}`,
    description: seed % 2 === 0 ? ' ' : 'Up / down',
    length: seed % 3 === 0 ? 0 : seed + 0.25,
    gpx: seed % 4 === 0 ? '' : gpxOf(seed + 1),
  }
  const made = await fetch(`${server.url}/Accounts/${account}/Routes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify([route]),
  })
  assert.equal(made.status, 201, await made.text())
}

const trails = [4_711, 4_712]

/** A site with listed photos of two people, and routes of both. */
async function fillSource(server: Listing, options: RunOptions): Promise<Source> {
  const tokens = new Map<number, string>()
  for (const [index, account] of [42, 43].entries()) {
    const token = await tokenFor(
      server,
      options,
      account,
      'images:write images:read routes:write routes:read',
    )
    tokens.set(account, token)
    for (let at = 0; at < photosOfTrail / 2; at += 1)
      for (const trail of trails) await upload(server, token, trail, trail + 100 * index + at)
    for (let at = 0; at < routesOfMember; at += 1) await addRoute(server, token, account, at)
  }
  return { ...server, tokens }
}

async function startSource(t: Parameters<typeof newFolder>[0]): Promise<Source> {
  const options = { dataDir: await newFolder(t), settings }
  for (const [id, name] of [
    [42, 'Ann "é"'],
    [43, 'Bo & Co'],
  ] as const) {
    const email = `member-${id}@trails.example`
    await done(['accounts', 'create', '--id', String(id), '--name', name, '--email', email], options)
    await done(['accounts', 'change', '--account', String(id), '--trusted'], options)
  }
  await done(['trails', 'add', '--id', '4711', '--name', 'Rim Trail', '--slug', 'rim'], options)
  await done(['trails', 'add', '--id', '4712', '--name', 'Creek & Falls'], options)
  return fillSource(await serving(t, options, 42), options)
}

void test('a Waymark behind a filter: lists and routes in JSON and XML are identical byte by byte, after 20 kills', async (t) => {
  const source = await startSource(t)
  const killer = createKiller()
  const filter = await startClassicFilter(t, { target: source.url, onStep: killer.onStep })
  const options = { dataDir: await newFolder(t), settings }
  const args = [
    'pull',
    `${filter.origin}/V1`,
    '--api-key',
    source.key,
    '--rate',
    '1000',
    '--routes-url',
    `${filter.origin}/v1.6`,
    '--trails',
    trails.join(','),
    ...[...source.tokens].flatMap(([id, token]) => ['--token', `${id}=${token}`]),
  ]
  const document = await pullKilled(args, options, { killer, kills: 20, requests: 2 * photosOfTrail })
  assert.deepEqual([document.left, document.conflicts, document.notes], [0, 0, 0], JSON.stringify(document))
  assert.deepEqual(filter.strays, [])
  const max = mostAsked(filter.asked)
  assert.ok(max.times <= 2, `${max.path} was asked ${max.times} times`)

  const pulled = await serving(t, options, 42)
  for (const trail of trails) {
    const there = await lists(source, trail)
    assert.equal(there.json.match(/"imageID":/g)?.length, photosOfTrail)
    assert.deepEqual(await lists(pulled, trail), there)
  }
  for (const [id, thereToken] of source.tokens) {
    const token = await tokenFor(pulled, options, id, 'routes:read')
    for (const accept of ['application/json', 'application/xml']) {
      const path = `/Accounts/${id}/Routes`
      const there = await get(source.url + path, { accept, token: thereToken })
      assert.deepEqual(await get(pulled.url + path, { accept, token }), there)
    }
  }
  assert.deepEqual(
    ((await done(['check', '--store', '--audit'], options)) as { ok?: boolean }).ok ?? true,
    true,
  )
})
