// Sets of many routes: complete and well-formed in both formats, even while they change (contract A6, C8, C39).
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { after, test } from 'node:test'
import { readXml } from '../../src/shared/xml/xml-reader.ts'
import { valueOf } from '../shared/contract-helpers.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { createRouteClient, gpxOf, type SeenRoute } from './route-client.ts'

const waymark = await startWaymark()
after(() => waymark.close())

/**
 * Copies this one's row, without the work of an upload.
 * @returns its id.
 */
async function copyRow(
  routeId: number,
  changed: { name: string; description: string; length: string; created_at: number },
): Promise<number> {
  const { db } = waymark.installation.database
  const at = db.selectFrom('route').selectAll().where('id', '=', routeId)
  const stored = db.selectFrom('route_gpx').select('gpx').where('route_id', '=', routeId)
  const newId = waymark.system.newId()
  const revision = `copy-${newId}`
  await db
    .insertInto('route')
    .values({ ...(await at.executeTakeFirstOrThrow()), ...changed, id: newId, revision })
    .execute()
  const row = { ...(await stored.executeTakeFirstOrThrow()), route_id: newId }
  await db.insertInto('route_gpx').values(row).execute()
  return newId
}

void test('A6: a set of 300 routes of 20 KB each is complete and well-formed in both formats, and its ETag follows every one', async () => {
  const many = await waymark.addPerson()
  const theirs = createRouteClient(waymark, many)
  const notes = 'Süd &amp; "Nord" 🏔 a/b\r\n'.repeat(800)
  const gpx = gpxOf('45,7', '45.1,7').replace('<trk>', `<trk><desc>${notes}</desc>`)
  assert.ok(Buffer.byteLength(gpx) > 20_000)
  const ids: number[] = []
  for (let made = 0; made < 300; made += 1) {
    waymark.system.advance(1)
    const route = { name: `route ${made}`, description: `"${made}"\r\n` }
    ids.push(
      made % 100 === 0
        ? await theirs.make({ ...route, gpx, length: made + 0.5 })
        : await copyRow(ids.at(-1) ?? 0, { ...route, length: `${made}.5`, created_at: waymark.system.now() }),
    )
  }
  const byJson = await theirs.ask(theirs.set)
  const routes = (await byJson.json()) as SeenRoute[]
  const expected = ids.map((routeID, made) => ({
    description: `"${made}"\r\n`,
    gpx,
    length: made + 0.5,
    name: `route ${made}`,
    routeID,
    dateCreated: '05/14/26',
  }))
  // Compared one by one: printing a difference of megabytes would take minutes.
  assert.equal(routes.length, 300)
  for (const [at, route] of expected.entries()) assert.deepEqual(routes[at], route, 'oldest first')

  const byXml = await theirs.ask(theirs.set, { headers: { accept: 'application/xml' } })
  const root = valueOf(readXml(Buffer.from(await byXml.arrayBuffer()), undefined))
  assert.equal(root.name, 'ArrayOfRoute')
  const names = ['dateCreated', 'description', 'gpx', 'length', 'name', 'routeID']
  const inXml = root.children.map(({ name, children }) => {
    assert.deepEqual([name, ...children.map((child) => child.name)], ['Route', ...names])
    return children.map(({ text }) => text)
  })
  const asXml = routes.map(({ description, length, name, routeID }) => [
    '2026-05-14T09:08:07',
    description,
    gpx,
    String(length),
    name,
    String(routeID),
  ])
  assert.equal(inXml.length, 300)
  for (const [at, texts] of asXml.entries()) assert.deepEqual(inXml[at], texts)

  const tag = async () => (await theirs.ask(theirs.set, { method: 'HEAD' })).headers.get('etag')
  const seen = new Set([byJson.headers.get('etag'), byXml.headers.get('etag'), await tag()])
  assert.equal(seen.size, 2)
  for (const changed of [ids[0], ids[150], ids[299]]) {
    await theirs.change(changed ?? 0, { name: 'changed' })
    seen.add(await tag())
  }
  assert.equal(seen.size, 5)
})

void test('A6: a set that is read while its routes are deleted is well-formed, and every route in it is complete', async () => {
  const theirs = createRouteClient(waymark, await waymark.addPerson())
  const gpx = `<gpx><desc>${'notes "a/b"\r\n'.repeat(8_000)}</desc></gpx>`
  const route = { name: 'n', description: 'd', length: '1.50', created_at: waymark.system.now() }
  const ids = [await theirs.make({ name: 'n', description: 'd', length: 1.5, gpx })]
  while (ids.length < 25) ids.push(await copyRow(ids[0] ?? 0, route))
  const [kept, ...doomed] = ids
  const formatsAsked = ['application/json', 'application/xml', 'application/json']
  const reads = formatsAsked.map((accept) => theirs.ask(theirs.set, { headers: { accept } }))
  const deletions = doomed.map((routeId) => theirs.ask(theirs.item(routeId), { method: 'DELETE' }))
  for (const answer of await Promise.all(deletions)) assert.equal(await answer.text(), 'true')
  for (const answer of await Promise.all(reads)) {
    const bytes = Buffer.from(await answer.arrayBuffer())
    if (answer.headers.get('content-type')?.includes('xml')) {
      for (const { children } of valueOf(readXml(bytes, undefined)).children)
        assert.equal(children[2]?.text, gpx)
      continue
    }
    const routes = JSON.parse(bytes.toString()) as SeenRoute[]
    assert.ok(routes.some(({ routeID }) => routeID === kept))
    for (const seen of routes) assert.deepEqual([seen.gpx, seen.name, seen.length], [gpx, 'n', 1.5])
  }
  assert.deepEqual(await theirs.ids(), [kept])
})

void test('issue 20, 3: a long set costs by its bytes, is not built for HEAD, and an account reads four at once', async () => {
  const person = await waymark.addPerson()
  const theirs = createRouteClient(waymark, person)
  const gpx = gpxOf('45,7', '45.1,7').replace('<trk>', `<trk><desc>${'notes '.repeat(50_000)}</desc>`)
  const route = { name: 'n', description: 'd', length: '1.50', created_at: waymark.system.now() }
  const first = await theirs.make({ name: 'n', description: 'd', length: 1.5, gpx })
  for (let made = 1; made < 60; made += 1) await copyRow(first, route)
  const leftIn = ({ headers }: Response): number =>
    Number(/;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1])

  const head = await theirs.ask(theirs.set, { method: 'HEAD' })
  const etag = head.headers.get('etag') ?? ''
  const known = await theirs.ask(theirs.set, { headers: { 'if-none-match': etag } })
  assert.deepEqual([head.status, known.status, known.headers.get('etag')], [200, 304, etag])
  assert.equal(leftIn(known), leftIn(head) - 1)
  // 18 MB without a reader: each response starts and waits.
  const begin = async (): Promise<IncomingMessage> => {
    const headers = { authorization: `Bearer ${person.token}` }
    const [answer] = (await once(request(waymark.url + theirs.set, { headers }).end(), 'response')) as [
      IncomingMessage,
    ]
    return answer
  }
  const reading = await Promise.all([begin(), begin(), begin(), begin()])
  for (const { statusCode } of reading) assert.equal(statusCode, 200)
  const fifth = await theirs.ask(theirs.set)
  assert.deepEqual([fifth.status, fifth.headers.get('retry-after')], [503, '5'])
  assert.equal(leftIn(fifth), leftIn(known) - 5 * (1 + 17))
  const [one, ...others] = reading
  assert.equal(one?.headers.etag, etag)
  const bytes = Buffer.concat((await one?.toArray()) ?? [])
  assert.equal((JSON.parse(bytes.toString()) as SeenRoute[]).length, 60)
  for (const answer of others) answer.destroy()
  for (;;) {
    const answer = await theirs.ask(theirs.set) // a disconnect is noticed slightly later
    await answer.body?.cancel()
    if (answer.status === 200) break
  }
})
