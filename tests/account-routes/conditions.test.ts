// Conditional requests on routes: ETag, If-None-Match and If-Match, also of two concurrent requests (contract C39).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { assertProblem, outcomeOf } from '../helpers/problems.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { createRouteClient, gpxOf, jsonForm } from './route-client.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const ana = await waymark.addPerson()
const { set, item, ask, write, make, change, read } = createRouteClient(waymark, ana)

const formats = ['application/json', 'application/xml'] as const
const gone = '412 Precondition Failed'

async function tagOf(path: string, accept: string): Promise<string> {
  const answer = await ask(path, { headers: { accept } })
  await answer.arrayBuffer()
  const etag = answer.headers.get('etag') ?? ''
  assert.match(etag, /^"[!#-~]+"$/, `${path} has a strong tag`)
  return etag
}

void test('C39: If-None-Match returns 304 with the headers of the 200 and no body, for GET and HEAD, route and set', async () => {
  const id = await make({ name: 'Rim', gpx: gpxOf('45,7') })
  for (const path of [item(id), set]) {
    for (const accept of formats) {
      const whole = await ask(path, { headers: { accept } })
      await whole.arrayBuffer()
      const etag = whole.headers.get('etag') ?? ''
      for (const method of ['GET', 'HEAD']) {
        for (const sent of method === 'HEAD' ? [etag] : [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
          const answer = await ask(path, { method, headers: { accept, 'if-none-match': sent } })
          assert.equal(answer.status, 304, `${method} ${path} ${sent}`)
          assert.equal((await answer.arrayBuffer()).byteLength, 0)
          for (const name of ['etag', 'cache-control', 'vary', 'referrer-policy']) {
            assert.equal(answer.headers.get(name), whole.headers.get(name), name)
          }
        }
        for (const sent of ['"x"', etag.replaceAll('"', ''), '']) {
          const answer = await ask(path, { method, headers: { accept, 'if-none-match': sent } })
          assert.equal(answer.status, 200, `${method} ${path} ${sent}`)
          await answer.arrayBuffer()
        }
      }
    }
    assert.notEqual(await tagOf(path, formats[0]), await tagOf(path, formats[1]), 'each format has its tag')
  }
})

void test('C39: an ETag stays while nothing changes, and changes with every field of the route', async () => {
  const id = await make({ name: 'one' })
  const neighbour = await make({ name: 'two' })
  const tagsNow = () =>
    Promise.all([item(id), set].flatMap((path) => formats.map((accept) => tagOf(path, accept))))
  const seen = new Set<string>()
  for (const fields of [
    { name: 'a' },
    { description: 'b' },
    { length: 3 },
    { gpx: gpxOf('1,1') },
    { name: 'one' },
  ]) {
    await change(id, fields)
    const tags = await tagsNow()
    assert.deepEqual(await tagsNow(), tags)
    for (const tag of tags) {
      assert.ok(!seen.has(tag), `${JSON.stringify(fields)} gave a tag that was there before`)
      seen.add(tag)
    }
  }
  const [ofRoute = '', , ofSet = ''] = await tagsNow()
  await change(neighbour, { name: 'three' })
  const [route = '', , changed = ''] = await tagsNow()
  assert.equal(route, ofRoute)
  assert.notEqual(changed, ofSet)
  assert.equal((await ask(item(neighbour), { method: 'DELETE' })).status, 200)
  assert.notEqual(await tagOf(set, formats[0]), changed)
})

void test('C39: If-Match allows PUT on the item, PUT on the set, and DELETE, with the ETag of either format and with `W/`', async () => {
  for (const accept of formats) {
    for (const frame of [
      (tag: string) => tag,
      (tag: string) => `W/${tag}`,
      (tag: string) => `"x",W/"y" , ${tag}`,
      () => '*',
    ]) {
      const id = await make({ name: 'one' })
      const match = async () => ({ 'if-match': frame(await tagOf(item(id), accept)) })
      const stale = frame(await tagOf(item(id), accept))
      const one = await write('PUT', item(id), '{"name":"two"}', { headers: await match() })
      assert.equal(await outcomeOf(one), '200')
      const two = await write('PUT', set, JSON.stringify({ routeID: id, name: 'three' }), {
        headers: await match(),
      })
      assert.equal(await outcomeOf(two), '200')
      if (!stale.includes('*')) {
        const headers = { 'if-match': stale }
        assert.equal(await outcomeOf(await write('PUT', item(id), '{"name":"four"}', { headers })), gone)
        assert.equal(
          await outcomeOf(await write('PUT', set, `{"routeID":${id},"name":"four"}`, { headers })),
          gone,
        )
        assert.equal(await outcomeOf(await ask(item(id), { method: 'DELETE', headers })), gone)
      }
      assert.equal((await read(id)).route.name, 'three')
      assert.equal(await outcomeOf(await ask(item(id), { method: 'DELETE', headers: await match() })), '200')
      assert.equal(await outcomeOf(await ask(item(id))), '404 Invalid Route ID')
    }
  }
})

void test('C31 C39: a failed condition is reported before the body is read, and even if nothing would change', async () => {
  const id = await make({ name: 'one' })
  const another = await make({ name: 'another' })
  const foreign = await tagOf(item(another), formats[0])
  for (const tag of ['"x"', 'W/"x"', '', '""', 'x', foreign]) {
    for (const body of ['{"name":"two"}', '{}', '[', '{"gpx":"<"}']) {
      await assertProblem(
        await write('PUT', item(id), body, { headers: { 'if-match': tag } }),
        'precondition-failed',
        `${tag} ${body}`,
      )
    }
    const answer = await write('PUT', set, `{"routeID":${id}}`, { headers: { 'if-match': tag } })
    await assertProblem(answer, 'precondition-failed', tag)
  }
  assert.equal((await read(id)).route.name, 'one')
})

void test('issue 5, C39: of two simultaneous PUTs with the same If-Match one gets 200 and one 412, twenty times', async () => {
  const id = await make({ name: 'start' })
  const long = gpxOf(...Array.from({ length: 500 }, (_, step) => `45.${step},7`))
  for (let round = 0; round < 20; round += 1) {
    const { etag } = await read(id)
    const rival = (name: string, target: string) =>
      write('PUT', target, JSON.stringify({ routeID: id, name, ...(round % 2 === 0 && { gpx: long }) }), {
        headers: { 'if-match': etag },
        type: jsonForm.type,
      })
    const answers = await Promise.all([
      rival(`a${round}`, item(id)),
      rival(`b${round}`, round % 3 === 0 ? set : item(id)),
    ])
    const outcomes = await Promise.all(answers.map(outcomeOf))
    assert.deepEqual(outcomes.toSorted(), ['200', gone])
    assert.equal((await read(id)).route.name, outcomes[0] === '200' ? `a${round}` : `b${round}`)
  }
})

void test('C39: of a simultaneous PUT and DELETE with the same If-Match one wins, in either order', async () => {
  for (let round = 0; round < 24; round += 1) {
    const id = await make({ name: 'start' })
    const headers = { 'if-match': (await read(id)).etag }
    const turns = async (count: number): Promise<void> => {
      for (let turn = 0; turn < count; turn += 1) await setImmediate()
    }
    const [put, removed] = await Promise.all([
      write('PUT', item(id), '{"name":"kept"}', { headers }).then(outcomeOf),
      turns(round % 12).then(() => ask(item(id), { method: 'DELETE', headers }).then(outcomeOf)),
    ])
    const isKept = put === '200'
    assert.equal(removed, isKept ? gone : '200')
    if (!isKept) assert.ok([gone, '404 Invalid Route ID'].includes(put), put)
    assert.equal(await outcomeOf(await ask(item(id))), isKept ? '200' : '404 Invalid Route ID')
  }
})
