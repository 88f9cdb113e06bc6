// /openapi.json matches both surfaces: every endpoint, its credentials, and the schema of real responses.
import assert from 'node:assert/strict'
import { after, before, describe, it, test } from 'node:test'
import { Compile } from 'typebox/compile'
import { shareSchemas } from '../../../src/http/openapi/openapi-document.ts'
import { servedDocument, type OpenapiDocument, type Operation } from '../../helpers/openapi.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { startWaymark, type Person, type Waymark } from '../../helpers/waymark.ts'

const withSchema = (...schemas: object[]): { paths: object; components?: object } => ({
  paths: { '/a': { get: { responses: { 200: { content: Object.fromEntries(schemas.entries()) } } } } },
})

void test('a schema with a title is a component, one per name; a field called title is not', () => {
  const properties = { title: { type: 'string' }, id: { type: 'integer' } }
  const thing = { title: 'Thing', type: 'object', properties }
  const { paths, components } = shareSchemas(withSchema(thing, { type: 'array', items: thing }))
  const reference = { $ref: '#/components/schemas/Thing' }
  assert.deepEqual(paths, withSchema(reference, { type: 'array', items: reference }).paths)
  assert.deepEqual(components, { schemas: { Thing: { type: 'object', properties } } })
  const other = { title: 'Thing', type: 'string' }
  assert.throws(() => shareSchemas(withSchema(thing, other)), /two schemas have the title Thing/)
})

describe('/openapi.json', () => {
  let waymark: Waymark
  let member: Person
  let document: OpenapiDocument
  let imageId: number

  before(async () => {
    waymark = await startWaymark()
    await waymark.addTrail(7, 'Trail')
    member = await waymark.addPerson({ role: 'reviewer' })
    imageId = await waymark.upload(member, 7, await jpegPicture())
    await waymark.review(member, imageId, 'approve')
    document = await servedDocument(waymark)
  })
  after(() => waymark.close())

  function operation(method: string, path: string): Operation {
    const found = document.paths[path]?.[method]
    assert.ok(found, `${method} ${path} is not documented`)
    return found
  }

  it('is answered from memory, with its ETag, until a broad write; never with a query', async () => {
    async function ask(query = '', headers: Record<string, string> = {}) {
      const before = waymark.app.answersFromMemory()
      const answer = await waymark.fetch(`/openapi.json${query}`, { headers })
      const { status } = answer
      const tag = answer.headers.get('etag')
      return { status, tag, text: await answer.text(), isKept: waymark.app.answersFromMemory() > before }
    }
    const first = await ask()
    assert.deepEqual(await ask(), { ...first, isKept: true })
    const condition = { 'if-none-match': first.tag ?? '' }
    for (const isKept of [false, true])
      assert.deepEqual(await ask('', condition), { ...first, status: 304, text: '', isKept })
    await waymark.addTrail(8, 'Another trail')
    assert.deepEqual(await ask(), { ...first, isKept: false })
    for (let time = 0; time < 2; time += 1) assert.equal((await ask('?a=1')).isKept, false)
  })

  it('is OpenAPI 3.1 and covers the endpoints of both APIs, with their credentials', () => {
    assert.equal(document.openapi, '3.1.0')
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { security = [] }]) => {
        const ways = security.map((way) =>
          Object.entries(way)
            .map(([name, scopes]) => [name, ...scopes].join(' '))
            .join(),
        )
        return `${method} ${path}: ${ways.map((way) => way || 'none').join(' | ')}`
      }),
    )
    assert.deepEqual(documented, [
      'get /v2/admin/accounts: session',
      'post /v2/admin/accounts: session',
      'get /v2/admin/accounts/{acctID}: session',
      'patch /v2/admin/accounts/{acctID}: session',
      'delete /v2/admin/accounts/{acctID}: session',
      'post /v2/admin/accounts/{acctID}/reset-link: session',
      'get /v2/admin/invitations: session',
      'post /v2/admin/invitations: session',
      'delete /v2/admin/invitations/{invitation}: session',
      'get /v2/admin/clients: session',
      'post /v2/admin/clients: session',
      'patch /v2/admin/clients/{clientId}: session',
      'delete /v2/admin/clients/{clientId}: session',
      'post /v2/admin/clients/{clientId}/secret: session',
      'get /v2/admin/audit: session',
      'get /v2/admin/settings: session',
      'get /v2/admin/storage: session',
      'get /v2/admin/jobs: session',
      'get /v2/admin/map: session',
      'put /v2/admin/map: session',
      'get /Trails/{trailID}/Images: apiKeyInQuery | apiKeyInHeader | oauth images:read',
      'post /Trails/{trailID}/Images: oauth images:write | session',
      'get /Trails/{trailID}/Images/{imageID}: apiKeyInQuery | apiKeyInHeader | oauth images:read',
      'put /Trails/{trailID}/Images/{imageID}: oauth images:write | session',
      'get /ImageHandler: none | oauth images:read',
      'get /v2/trails: apiKeyInQuery | apiKeyInHeader | oauth images:read | pageOfThisSite',
      'post /v2/trails: oauth trails:write | session',
      'get /v2/trails/{trailID}: apiKeyInQuery | apiKeyInHeader | oauth images:read | pageOfThisSite',
      'put /v2/trails/{trailID}: oauth trails:write | session',
      'delete /v2/trails/{trailID}: oauth trails:write | session',
      'get /v2/trails/{trailID}/profile: apiKeyInQuery | apiKeyInHeader | oauth images:read | pageOfThisSite',
      'get /v2/trails/{trailID}.gpx: apiKeyInQuery | apiKeyInHeader | oauth images:read | pageOfThisSite',
      'get /v2/trails/{trailID}.kml: apiKeyInQuery | apiKeyInHeader | oauth images:read | pageOfThisSite',
      'get /v2/trails/{trailID}.geojson: apiKeyInQuery | apiKeyInHeader | oauth images:read | pageOfThisSite',
      'post /v2/admin/trails/import: oauth trails:write | session',
      'get /v2/trails.csv: apiKeyInQuery | apiKeyInHeader | oauth images:read | pageOfThisSite',
      'get /v2/trails.geojson: apiKeyInQuery | apiKeyInHeader | oauth images:read | pageOfThisSite',
      'get /v2/images: oauth images:read | session',
      'get /v2/images/{imageID}: apiKeyInQuery | apiKeyInHeader | oauth images:read | pageOfThisSite',
      'patch /v2/images/{imageID}: oauth images:write | session',
      'delete /v2/images/{imageID}: oauth images:write | session',
      'get /v2/trails/{trailID}/images: apiKeyInQuery | apiKeyInHeader | oauth images:read | pageOfThisSite',
      'post /v2/trails/{trailID}/images: oauth images:write | session',
      'get /v2/trails/{trailID}/images/months: apiKeyInQuery | apiKeyInHeader | oauth images:read | pageOfThisSite',
      'get /v2/images/{imageID}/original: oauth images:read | session',
      'get /v2/trails/{trailID}/images/along: apiKeyInQuery | apiKeyInHeader | oauth images:read | pageOfThisSite',
      'post /v2/images/{imageID}/restore: oauth images:write | session',
      'get /v2/trash: oauth images:read | session',
      'get /v2/terms: ',
      'put /v2/admin/terms: session',
      'post /v2/images/{imageID}/review: oauth images:review | session',
      'post /v2/images/{imageID}/undo: oauth images:review | session',
      'post /v2/review/bulk: oauth images:review | session',
      'post /v2/review/claims: oauth images:review | session',
      'delete /v2/review/claims/{imageID}: oauth images:review | session',
      'get /v2/review/reasons: oauth images:review | session',
      'put /v2/admin/review-reasons: session',
      'get /v2/review/queue: oauth images:review | session',
      'get /v2/review/summary: oauth images:review | session',
      'post /v2/images/{imageID}/reports: none | oauth | session',
      'get /v2/images/{imageID}/reports: oauth images:review | session',
      'post /v2/images/{imageID}/reports/dismiss: oauth images:review | session',
      'get /v2/images/{imageID}/history: oauth images:read | session',
      'get /Accounts/{acctID}/Routes: oauth routes:read | session',
      'post /Accounts/{acctID}/Routes: oauth routes:write | session',
      'put /Accounts/{acctID}/Routes: oauth routes:write | session',
      'get /Accounts/{acctID}/Routes/{routeID}: oauth routes:read | session',
      'put /Accounts/{acctID}/Routes/{routeID}: oauth routes:write | session',
      'delete /Accounts/{acctID}/Routes/{routeID}: oauth routes:write | session',
      'get /v2/accounts/{acctID}/routes: oauth routes:read | session',
      'post /v2/accounts/{acctID}/routes: oauth routes:write | session',
      'post /v2/accounts/{acctID}/routes/import: oauth routes:write | session',
      'get /v2/routes/{routeID}: none | oauth routes:read | session',
      'patch /v2/routes/{routeID}: oauth routes:write | session',
      'delete /v2/routes/{routeID}: oauth routes:write | session',
      'get /v2/routes/{routeID}/overview: none | oauth routes:read | session',
      'get /v2/routes/{routeID}.gpx: none | oauth routes:read | session',
      'get /v2/routes/{routeID}.geojson: none | oauth routes:read | session',
      'get /v2/routes/{routeID}/original.gpx: none | oauth routes:read | session',
      'get /v2/routes: apiKeyInQuery | apiKeyInHeader | oauth | pageOfThisSite',
      'get /v2/me/zones: oauth routes:read | session',
      'post /v2/me/zones: oauth routes:write | session',
      'delete /v2/me/zones/{zoneID}: oauth routes:write | session',
      'get /v2/trails/{trailID}/images.geojson: apiKeyInQuery | apiKeyInHeader | oauth images:read | pageOfThisSite',
      'get /v2/tiles/{z}/{x}/{y}.mvt: apiKeyInQuery | apiKeyInHeader | oauth images:read | pageOfThisSite',
      'get /v2/tiles.json: apiKeyInQuery | apiKeyInHeader | oauth images:read | pageOfThisSite',
      'get /v2/admin/branding: session',
      'put /v2/admin/branding: session',
      'put /v2/admin/branding/{picture}: session',
      'delete /v2/admin/branding/{picture}: session',
      'get /v2/site: none | oauth | session',
      'get /v2/changes: oauth | session',
      'get /v2/events: oauth | session',
      'get /v2/webhooks: oauth | session',
      'post /v2/webhooks: oauth | session',
      'get /v2/webhooks/{webhookID}: oauth | session',
      'patch /v2/webhooks/{webhookID}: oauth | session',
      'delete /v2/webhooks/{webhookID}: oauth | session',
      'post /v2/webhooks/{webhookID}/rotate: oauth | session',
      'post /v2/webhooks/{webhookID}/test: oauth | session',
      'get /v2/webhooks/{webhookID}/deliveries: oauth | session',
      'post /v2/webhooks/{webhookID}/deliveries/{deliveryID}/replay: oauth | session',
      'get /v2/me: oauth | session',
      'patch /v2/me: session',
      'delete /v2/me: session',
      'post /v2/me/password: session',
      'put /v2/me/email: session',
      'get /v2/me/keys: oauth images:read | session',
      'post /v2/me/keys: oauth images:read | session',
      'post /v2/me/keys/{prefix}/rotate: oauth images:read | session',
      'delete /v2/me/keys/{prefix}: oauth images:read | session',
      'get /v2/me/sessions: session',
      'delete /v2/me/sessions: session',
      'delete /v2/me/sessions/{sessionId}: session',
      'get /v2/me/apps: session',
      'delete /v2/me/apps/{clientId}: session',
      'get /v2/me/clients: session',
      'post /v2/me/clients: session',
      'get /v2/me/clients/{clientId}: session',
      'patch /v2/me/clients/{clientId}: session',
      'delete /v2/me/clients/{clientId}: session',
      'post /v2/me/clients/{clientId}/secret: session',
      'get /v2/me/passkeys: session',
      'post /v2/me/passkeys: session',
      'post /v2/me/passkey-options: session',
      'delete /v2/me/passkeys/{credentialId}: session',
      'get /v2/me/takeout: session',
    ])
  })

  it('describes the header that makes uploads safe to repeat', () => {
    const { parameters = [], responses } = operation('post', '/Trails/{trailID}/Images')
    const header = parameters.find(({ in: place }) => place === 'header')
    assert.deepEqual([header?.name, header?.required ?? false], ['Idempotency-Key', false])
    assert.ok(['200', '201', '400', '422'].every((status) => status in responses))
  })

  async function holds(method: 'get' | 'post' | 'put', path: string, init: RequestInit = {}): Promise<void> {
    const address = path.replace('{trailID}', '7').replace('{imageID}', String(imageId))
    const answer = await waymark.fetch(address, {
      ...init,
      method: method.toUpperCase(),
      token: member.token,
    })
    const mediaType = answer.headers.get('content-type')?.split(';')[0] ?? ''
    const schema = operation(method, path).responses[String(answer.status)]?.content?.[mediaType]?.schema
    assert.ok(schema, `${method} ${path} answered ${answer.status} ${mediaType}, which is not documented`)
    const validator = Compile(schema)
    if (mediaType.endsWith('/xml')) return
    const value: unknown = await answer.json()
    assert.ok(validator.Check(value), `${method} ${path}: ${JSON.stringify(validator.Errors(value))}`)
  }

  it('describes real responses', async () => {
    await holds('get', '/Trails/{trailID}/Images')
    await holds('get', '/Trails/{trailID}/Images/{imageID}')
    await holds('get', '/v2/images')
    await holds('get', '/v2/images/{imageID}')
    const json = { 'content-type': 'application/json' }
    await holds('put', '/Trails/{trailID}/Images/{imageID}', { headers: json, body: '{"title":"A"}' })
    const picture = new Uint8Array(await jpegPicture())
    await holds('post', '/Trails/{trailID}/Images', { body: picture })
    await holds('post', '/Trails/{trailID}/Images', { body: picture }) // 200: the image exists
    await holds('post', '/v2/images/{imageID}/review', { headers: json, body: '{"decision":"reopen"}' })
  })

  it('names all media types that the classic API accepts, and each is accepted', async () => {
    const form = 'application/x-www-form-urlencoded'
    const typesOf = (method: string, path: string) =>
      Object.keys(operation(method, path).requestBody?.content ?? {})
    const send = async (
      method: string,
      path: string,
      type: string,
      body: string | Uint8Array<ArrayBuffer>,
    ) => {
      const init = { method, headers: { 'content-type': type }, body, token: member.token }
      return (await waymark.fetch(path, init)).status
    }
    const formats = ['application/json', 'application/xml', 'text/xml', form]
    for (const [method, path] of [
      ['put', '/Trails/{trailID}/Images/{imageID}'],
      ['post', '/Accounts/{acctID}/Routes'],
      ['put', '/Accounts/{acctID}/Routes'],
      ['put', '/Accounts/{acctID}/Routes/{routeID}'],
    ] as const)
      assert.deepEqual(typesOf(method, path), formats)
    const image = `/Trails/7/Images/${imageId}`
    const xml = '<TrailImageDetails><title>B</title></TrailImageDetails>'
    for (const type of formats)
      assert.equal(await send('PUT', image, type, /json|form/.test(type) ? '{"title":"B"}' : xml), 200, type)
    assert.equal(await send('PUT', image, form, xml), 200)

    const pictures = typesOf('post', '/Trails/{trailID}/Images')
    assert.ok(pictures.includes(form) && pictures.includes('application/octet-stream'))
    const picture = new Uint8Array(await jpegPicture())
    for (const type of pictures)
      assert.match(String(await send('POST', '/Trails/7/Images', type, picture)), /^20[01]$/, type)
    assert.equal(await send('POST', '/Trails/7/Images', 'image/tiff', picture), 415)
    for (const path of ['/Trails/{trailID}/Images', '/Trails/{trailID}/Images/{imageID}'])
      await holds('get', path, { headers: { accept: 'text/xml' } })
  })

  it('describes refusals', async () => {
    const json = { 'content-type': 'application/json' }
    const wrongKey = { 'idempotency-key': 'two words' }
    await holds('post', '/Trails/{trailID}/Images', { headers: wrongKey, body: 'x' })
    await holds('put', '/Trails/{trailID}/Images/{imageID}', { headers: json, body: '{' })
    await holds('put', '/Trails/{trailID}/Images/{imageID}', {
      headers: { 'content-type': 'text/plain' },
      body: 'x',
    })
    await holds('post', '/v2/images/{imageID}/review', { headers: json, body: '{"decision":"remove"}' })
    await holds('post', '/v2/images/{imageID}/review', { headers: json, body: '{"decision":"bless"}' })
    await holds('post', '/Trails/{trailID}/Images', {
      body: 'no image',
      headers: { 'content-type': 'image/png' },
    })
  })
})
