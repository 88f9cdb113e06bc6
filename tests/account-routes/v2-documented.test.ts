// Every response of the v2 routes and zones matches /openapi.json: status and schema, of success and refusals.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Compile } from 'typebox/compile'
import { servedDocument } from '../helpers/openapi.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { gpxOf, json, northward } from './v2-helpers.ts'

const waymark = await startWaymark({ environment: { GPX_CHECK: 'off', MAX_ROUTE_BYTES: '100000' } })
after(() => waymark.close())

interface Call {
  readonly id?: number | string | undefined
  readonly query?: string
  readonly token?: string | undefined
  readonly headers?: Record<string, string>
  readonly body?: RequestInit['body']
}

const routes = '/v2/accounts/{acctID}/routes'
const route = '/v2/routes/{routeID}'
const everybodys = 'GET /v2/routes'

void test('Part D: routes and zones: every response is documented', async () => {
  const { paths } = await servedDocument(waymark)
  const ana = await waymark.addPerson()
  const other = await waymark.addPerson()
  const narrow = await waymark.tokenFor(ana.accountId, 'images:read')
  const seen = new Set<string>()

  async function holds(
    status: number,
    operation: string,
    { id, query = '', body, headers = {}, ...call }: Call = {},
  ) {
    const [method = '', path = ''] = operation.split(' ')
    const token = 'token' in call ? call.token : ana.token
    const address = path.replace(/\{(\w+)\}/, (_all, name: string) =>
      String(id ?? (name === 'acctID' ? ana.accountId : 1)),
    )
    const answer = await waymark.fetch(address + query, {
      method,
      headers: { ...(typeof body === 'string' ? json : {}), ...headers },
      ...(body === undefined ? {} : { body }),
      ...(token === undefined ? {} : { token }),
    })
    const text = await answer.text()
    assert.equal(answer.status, status, `${operation}: ${text}`)
    seen.add(operation)
    const response = paths[path]?.[method.toLowerCase()]?.responses[String(status)]
    assert.ok(response, `${operation} does not document ${status}`)
    if (status === 204) return {}
    const mediaType = answer.headers.get('content-type')?.split(';')[0] ?? ''
    const schema = response.content?.[mediaType]?.schema
    assert.ok(schema, `${operation} does not document ${mediaType} of ${status}`)
    if (!mediaType.endsWith('json') || mediaType === 'application/geo+json') return {}
    const value = JSON.parse(text) as Record<string, never>
    const validator = Compile(schema)
    assert.ok(validator.Check(value), `${operation}: ${JSON.stringify(validator.Errors(value))}`)
    return value
  }

  const post = `POST ${routes}`
  const gpx = gpxOf([northward(1, 1, 4)])
  const { routeID: id } = await holds(201, post, {
    body: JSON.stringify({ name: 'x', gpx, visibility: 'link' }),
    headers: { 'idempotency-key': 'k' },
  })
  const { routeID: broken } = await holds(201, post, { body: JSON.stringify({ gpx: 'x' }) })
  await holds(201, post, { body: '{}' })
  await holds(400, post, { body: '{"x":1}' })
  await holds(400, post, { body: '{' })
  await holds(400, post, { body: '{}', headers: { 'idempotency-key': 'a b' } })
  await holds(401, post, { body: '{}', token: undefined })
  await holds(403, post, { body: '{}', token: other.token })
  await holds(403, post, { body: '{}', token: narrow })
  await holds(404, post, { body: '{}', id: 1 })
  await holds(413, post, { body: 'x'.repeat(100_001) })
  await holds(415, post, { body: '{}', headers: { 'content-type': 'text/plain' } })
  await holds(422, post, { body: '{}', headers: { 'idempotency-key': 'k' } })

  await holds(200, `GET ${routes}`)
  await holds(200, `GET ${routes}`, { token: other.token, query: '?limit=1' })
  await holds(400, `GET ${routes}`, { query: '?limit=x' })
  await holds(401, `GET ${routes}`, { token: undefined })
  await holds(403, `GET ${routes}`, { token: narrow })
  await holds(404, `GET ${routes}`, { id: 1 })

  for (const format of ['', '.gpx', '.geojson']) {
    const get = `GET ${route}${format}`
    await holds(200, get, { id })
    await holds(200, get, { id, query: '?as=others' })
    await holds(400, get, { id, query: '?as=x' })
    await holds(401, get, { id, token: undefined })
    await holds(403, get, { id, token: narrow })
    await holds(404, get, { id, token: other.token })
    await holds(format === '' ? 200 : 422, get, { id: broken })
  }

  const overview = `GET ${route}/overview`
  await holds(200, overview, { id })
  await holds(400, overview, { id, query: '?token=a&token=b' })
  await holds(401, overview, { id, token: undefined })
  await holds(403, overview, { id, token: narrow })
  await holds(404, overview, { id, token: other.token })

  const original = `GET ${route}/original.gpx`
  await holds(200, original, { id })
  await holds(200, original, { id: broken })
  await holds(401, original, { id, token: undefined })
  await holds(403, original, { id, token: narrow })
  await holds(404, original, { id, token: other.token })

  await holds(200, everybodys)
  await holds(400, everybodys, { query: '?colour=red' })
  await holds(401, everybodys, { token: undefined })

  const patch = `PATCH ${route}`
  await holds(200, patch, { id, body: '{"visibility":"public"}' })
  await holds(400, patch, { id, body: '{"visibility":1}' })
  await holds(401, patch, { id, body: '{}', token: undefined })
  await holds(403, patch, { id, body: '{}', token: other.token })
  await holds(404, patch, { id: 1, body: '{}' })
  await holds(412, patch, { id, body: '{}', headers: { 'if-match': '"x"' } })
  await holds(415, patch, { id, body: '{}', headers: { 'content-type': 'text/plain' } })

  const files = new FormData()
  files.append('file', new Blob([gpx]), 'a.gpx')
  files.append('file', new Blob(['']), 'b.gpx')
  const load = `POST ${routes}/import`
  await holds(200, load, { body: files })
  await holds(400, load, { body: new FormData() })
  await holds(401, load, { body: files, token: undefined })
  await holds(403, load, { body: files, token: other.token })
  await holds(404, load, { body: files, id: 1 })
  await holds(415, load, { body: '{}' })

  const remove = `DELETE ${route}`
  await holds(401, remove, { id, token: undefined })
  await holds(403, remove, { id, token: other.token })
  await holds(412, remove, { id, headers: { 'if-match': '"x"' } })
  await holds(204, remove, { id })
  await holds(404, remove, { id })

  const zone = { body: '{"lat":1,"lon":2,"radius":100}', headers: { 'idempotency-key': 'z' } }
  const { zoneID } = await holds(201, 'POST /v2/me/zones', zone)
  await holds(422, 'POST /v2/me/zones', { ...zone, body: '{"lat":1,"lon":2,"radius":101}' })
  await holds(400, 'POST /v2/me/zones', { body: '{}' })
  await holds(401, 'POST /v2/me/zones', { body: '{}', token: undefined })
  await holds(403, 'POST /v2/me/zones', { body: '{}', token: narrow })
  await holds(415, 'POST /v2/me/zones', { body: '{}', headers: { 'content-type': 'text/plain' } })
  await holds(200, 'GET /v2/me/zones')
  await holds(403, 'GET /v2/me/zones', { token: narrow })
  await holds(204, 'DELETE /v2/me/zones/{zoneID}', { id: zoneID })
  await holds(404, 'DELETE /v2/me/zones/{zoneID}', { id: zoneID })
  await holds(404, 'POST /v2/me/zones', zone)

  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const own = documented.filter((operation) =>
    /\/v2\/(me\/zones|routes|accounts\/\{acctID\}\/routes)/.test(operation),
  )
  assert.deepEqual(own.toSorted(), [...seen].toSorted())
  const parameters = paths[routes]?.['get']?.parameters?.map(({ name }) => name) ?? []
  for (const name of ['acctID', 'q', 'bbox', 'minMiles', 'maxMiles', 'limit', 'cursor'])
    assert.ok(parameters.includes(name), name)
  for (const name of ['token', 'as'])
    assert.ok(
      paths[route]?.['get']?.parameters?.some((parameter) => parameter.name === name),
      name,
    )
})
