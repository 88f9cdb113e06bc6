// Bodies declared as application/x-www-form-urlencoded, the default of curl, wget, PHP and Java, on the classic surface
// (C6, C15).
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { createRouteClient, forms, jsonForm } from '../account-routes/route-client.ts'
import { newFolder } from '../helpers/folders.ts'
import { jpegPicture, pngPicture } from '../helpers/pictures.ts'
import { assertProblem, outcomeOf } from '../helpers/problems.ts'
import { whyMissing } from '../helpers/tools.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { send, type WireRequest } from '../helpers/wire.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()
const images = '/Trails/4711/Images'
const photo = await jpegPicture({ width: 12, height: 9 })
const imageId = await waymark.upload(ana, 4711, photo)
const routes = createRouteClient(waymark, ana)
const routeId = await routes.make({ name: 'Rim' })

const form = 'application/x-www-form-urlencoded'
const declared = [
  form,
  'Application/X-WWW-Form-Urlencoded',
  `${form}; charset=utf-8`,
  `${form};charset=UTF-8`,
]

function ask(
  method: string,
  to: string,
  body: WireRequest['body'],
  headers: Record<string, string> = {},
): Promise<Response> {
  const credential = { authorization: `Bearer ${ana.token}`, 'content-type': form }
  return send(waymark.url, {
    method,
    path: to,
    headers: { ...credential, ...headers },
    ...(body === undefined ? {} : { body }),
  })
}

const detailsOf = async (id: number): Promise<string> =>
  (await waymark.fetch(`/v2/images/${id}`, { token: ana.token })).text()

void test('C15: a photo declared as a form is recognised by its bytes', async () => {
  const kinds = { 'image/jpeg': photo, 'image/png': await pngPicture({ width: 8, height: 8 }) }
  for (const [mimeType, bytes] of Object.entries(kinds))
    for (const [index, type] of declared.entries()) {
      // Distinct bodies, so that none counts as a retry (C18).
      const body = Buffer.concat([bytes, Buffer.from([index])])
      const answer = await ask('POST', images, body, { 'content-type': type })
      assert.equal(answer.status, 201, type)
      const { mimeType: found } = JSON.parse(await detailsOf(Number(await answer.text()))) as {
        mimeType: string
      }
      assert.equal(found, mimeType)
    }
})

void test('C14, C15: any other body declared as a form is refused as before', async () => {
  await assertProblem(await ask('POST', images, ''), 'empty-image')
  for (const body of ['title=x&caption=y', '{"title":"x"}', '<svg/>', 'file=%FF%D8%FF'])
    await assertProblem(await ask('POST', images, body), 'unsupported-image-type', body)
  await assertProblem(await ask('POST', images, photo.subarray(0, 100)), 'broken-image')
  const large = Buffer.concat([photo, Buffer.alloc(8_388_609 - photo.length)])
  await assertProblem(await ask('POST', images, large), 'image-too-large')
  await assertProblem(
    await ask('POST', images, photo, { 'content-encoding': 'gzip' }),
    'unsupported-media-type',
  )
  // Only the classic surface has such clients.
  await assertProblem(await ask('POST', `/v2/trails/4711/images`, photo), 'unsupported-media-type')
  await assertProblem(await ask('PATCH', `/v2/images/${imageId}`, '{"title":"x"}'), 'unsupported-media-type')
})

const mark = '\u{feff}'
const details = '<TrailImageDetails><title>x</title></TrailImageDetails>'
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le')
const bigEndian = (text: string): Buffer => utf16(text).swap16()

void test('C6: details declared as a form are read as their first character indicates', async () => {
  const taken: readonly (readonly [string, string | Buffer])[] = [
    ['JSON', '{"title":"x"}'],
    ['JSON after a byte-order mark', `${mark}{"title":"x"}`],
    ['XML', details],
    ['XML after a byte-order mark', mark + details],
    ['XML with a declaration', `<?xml version="1.0" encoding="utf-8"?>${details}`],
    ['XML with a comment', `<!-- from PHP -->${details}`],
    ['UTF-16', utf16(details)],
    ['UTF-16 after a mark', utf16(mark + details)],
    ['UTF-16, big-endian', bigEndian(details)],
    ['UTF-16, big-endian after a mark', bigEndian(mark + details)],
  ]
  for (const [what, body] of taken) {
    const before = await ask('PUT', `${images}/${imageId}`, '{"title":"before"}')
    assert.equal(await outcomeOf(before), '200')
    const answer = await ask('PUT', `${images}/${imageId}`, body)
    assert.equal(await outcomeOf(answer), '200', what)
    assert.match(await detailsOf(imageId), /"title":"x"/, what)
  }
  for (const type of declared) {
    const answer = await ask('PUT', `${images}/${imageId}`, '{"title":"x"}', { 'content-type': type })
    assert.equal(await outcomeOf(answer), '200', type)
  }
})

void test('C6: a body that starts neither as JSON nor as XML is 415; one that does and is invalid is 400', async () => {
  const put = (body: WireRequest['body'], headers = {}) => ask('PUT', `${images}/${imageId}`, body, headers)
  const others = [
    '',
    'title=x',
    ' {"title":"x"}',
    '\n<TrailImageDetails/>',
    '"x"',
    'é{',
    '\0{',
    '%7B%22',
    photo,
  ]
  for (const body of others) {
    await assertProblem(await put(body), 'unsupported-media-type', String(body).slice(0, 20))
  }
  for (const body of ['{', '{title=x}', '<', '<html>', '[1]', utf16('{"title":"x"}'), '<!DOCTYPE a><a/>'])
    await assertProblem(await put(body), 'malformed-body', String(body))
  for (const charset of ['iso-8859-1', 'utf-16'])
    await assertProblem(
      await put('{"title":"x"}', { 'content-type': `${form}; charset=${charset}` }),
      'unsupported-media-type',
    )
  await assertProblem(await put(`{"title":"x"}${' '.repeat(65_536)}`), 'body-too-large')
  await assertProblem(await put('{}', { 'if-match': '"other"' }), 'precondition-failed')
  const { detail } = (await (await put('title=x')).json()) as { detail: string }
  assert.equal(
    detail,
    'The Content-Type is application/x-www-form-urlencoded, and the body does not begin with {, [ or <; details must be sent as application/json or application/xml.',
  )
  const chunked = Readable.from([Buffer.from('{'), Buffer.from('"title":"chunked"}')])
  assert.equal(await outcomeOf(await put(chunked)), '200')
  assert.match(await detailsOf(imageId), /chunked/)
})

void test('C6, C18: routes declared as a form', async () => {
  for (const { name, one, many } of forms)
    for (const body of [one({ name: 'Made so' }), many({ name: 'Made so' })]) {
      const made = await ask('POST', routes.set, body, { 'idempotency-key': `${name}-${body.length}` })
      assert.equal(made.status, 201, name)
      const again = await ask('POST', routes.set, body, { 'idempotency-key': `${name}-${body.length}` })
      assert.equal(await again.text(), await made.text())
      assert.equal(await outcomeOf(await ask('PUT', routes.item(routeId), body)), '200', name)
    }
  const named = jsonForm.one({ routeID: routeId, name: 'By the set' })
  assert.equal(await outcomeOf(await ask('PUT', routes.set, named)), '200')
  assert.match((await routes.read(routeId)).text, /By the set/)
  for (const body of ['', 'name=x', ' {"name":"x"}']) {
    await assertProblem(await ask('POST', routes.set, body), 'unsupported-media-type', body)
    await assertProblem(await ask('PUT', routes.item(routeId), body), 'unsupported-media-type', body)
  }
})

const run = promisify(execFile)
const why = whyMissing('curl')

void test(
  'curl without a Content-Type uploads a photo, sets its details and stores a route',
  { skip: why },
  async (t) => {
    const folder = await newFolder(t)
    const file = path.join(folder, 'photo.jpg')
    await writeFile(file, Buffer.concat([photo, Buffer.from('from curl')]))
    const curl = async (...args: string[]): Promise<string> => {
      const bearer = `Authorization: Bearer ${ana.token}`
      const { stdout } = await run('curl', ['-sS', '--noproxy', '*', '-H', bearer, ...args])
      return stdout
    }
    const id = await curl('--data-binary', `@${file}`, `${waymark.url}/V1${images}/`)
    assert.match(id, /^\d+$/)
    const put = await curl('-X', 'PUT', '-d', '{"title":"By curl"}', `${waymark.url}/V1${images}/${id}`)
    assert.equal(put, 'true')
    assert.match(await detailsOf(Number(id)), /By curl/)
    const xml = await curl('-d', '<Route><name>By curl</name></Route>', `${waymark.url}/v1.6${routes.set}`)
    assert.match(xml, /^\d+$/)
    assert.match((await routes.read(Number(xml))).text, /By curl/)
  },
)
