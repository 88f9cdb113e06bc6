// A list for others is complete, or says that it is not yet: a changed route is never silently missing (C36).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startWaymark } from '../../helpers/waymark.ts'
import { assertProblem } from '../../helpers/problems.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const owner = await waymark.addPerson()
const other = await waymark.addPerson()
const path = `/v2/accounts/${owner.accountId}/routes`

function send(method: string, address: string, body: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return waymark.fetch(address, { method, token: owner.token, headers, body: JSON.stringify(body) })
}

const points = Array.from({ length: 60 }, (_, index) => `<rtept lat="${45 + index / 1_000}" lon="7"/>`)
const gpx = `<gpx version="1.1" creator="tests"><rte>${points.join('')}</rte></gpx>`

interface Listed {
  readonly items: readonly { readonly routeID: number; readonly pointCount: number; readonly link?: string }[]
}

const listFor = async (token: string, query = ''): Promise<Listed> => {
  const answer = await waymark.fetch(path + query, { token })
  assert.equal(answer.status, 200)
  return (await answer.json()) as Listed
}

void test('Part D: right after a change of zones, the list for others has every public route, clipped', async () => {
  for (let index = 0; index < 30; index += 1) {
    assert.equal((await send('POST', path, { name: `${index}`, gpx, visibility: 'public' })).status, 201)
  }
  assert.equal((await send('POST', '/v2/me/zones', { lat: 45, lon: 7, radius: 200 })).status, 201)
  const { items } = await listFor(other.token)
  assert.equal(items.length, 30)
  assert.ok(items.every(({ pointCount }) => pointCount < 60))
})

void test('?as=others shows the owner what others see, in the list too; any other value is refused', async () => {
  const shown = await listFor(owner.token, '?as=others')
  assert.deepEqual(shown, await listFor(other.token))
  assert.ok((await listFor(owner.token)).items.every(({ pointCount }) => pointCount === 60))
  const wrong = await waymark.fetch(`${path}?as=me`, { token: owner.token })
  const problem = await assertProblem(wrong, 'invalid-query')
  assert.equal(problem.detail, 'The parameter as must be others.')
})

void test('unknown fields in bodies are refused in plain sentences', async () => {
  const { items } = await listFor(owner.token)
  const route = `/v2/routes/${items[0]?.routeID}`
  const sentences: readonly (readonly [string, string, unknown, string])[] = [
    ['PATCH', route, { link: 'x' }, 'Unknown field: link.'],
    ['PATCH', route, { name: 5 }, 'The field name must be text.'],
    ['POST', '/v2/me/zones', { name: 'a' }, 'The fields lat, lon, radius are missing.'],
    ['POST', '/v2/me/zones', { lat: 91, lon: 0, radius: 100 }, 'The field lat must be at most 90.'],
    ['POST', '/v2/me/zones', { lat: 'x', lon: 0, radius: 100 }, 'The field lat must be a number.'],
    ['POST', '/v2/me/zones', [], 'The body must be an object.'],
  ]
  for (const [method, address, body, detail] of sentences) {
    const problem = await assertProblem(await send(method, address, body), 'invalid-field', detail)
    assert.equal(problem.detail, detail)
  }
})
