// Strings in every place where a client may put one: stored exactly or refused, never interpreted.
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { trailImageDetails } from '../../src/shared/classic/classic-shapes.ts'
import { countCharacters } from '../../src/shared/text/characters.ts'
import { readXml } from '../../src/shared/xml/xml-reader.ts'
import { writeXml } from '../../src/shared/xml/xml.ts'
import { loggerTo } from '../../src/http/server.ts'
import { bytesOf, forbiddenInXml, valueOf } from '../shared/contract-helpers.ts'
import { filesBelow } from '../helpers/folders.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { leak } from '../helpers/problems.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { send } from '../helpers/wire.ts'

/** Registers the tests with these strings. */
export async function testStrings(naughtyStrings: readonly string[]): Promise<void> {
  const lines: string[] = []
  const logger = loggerTo({ write: (line) => lines.push(line) }, 'info')
  const waymark = await startWaymark({ logger, environment: { DISK_FREE_WARNING_MB: '0' } })
  after(() => waymark.close())
  await waymark.addTrail(4711, 'Rim Trail')
  const ana = await waymark.addPerson()
  const stranger = await waymark.addPerson()
  const key = await waymark.addKey(ana.accountId)
  const imageId = await waymark.upload(ana, 4711, await jpegPicture({ width: 24, height: 16 }))
  const bearer = { authorization: `Bearer ${ana.token}` }
  const { db } = waymark.installation.database

  type Fields = Readonly<Record<string, unknown>>

  const rowNow = async () => ({
    ...(await db.selectFrom('image').selectAll().where('id', '=', imageId).executeTakeFirstOrThrow()),
  })

  async function get(accept: string, path = `/Trails/4711/Images/${imageId}`): Promise<string> {
    const answer = await send(waymark.url, { path, headers: { ...bearer, accept } })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('content-type'), `${accept}; charset=utf-8`)
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
    return answer.text()
  }

  /** The row with the two times that any PUT sets as they were. */
  const asBefore = async ({ updated_at, details_set_at }: Awaited<ReturnType<typeof rowNow>>) => ({
    ...(await rowNow()),
    updated_at,
    details_set_at,
  })

  const put = (type: string, body: string): Promise<Response> =>
    send(waymark.url, {
      method: 'PUT',
      path: `/Trails/4711/Images/${imageId}`,
      headers: { ...bearer, 'content-type': type },
      body,
    })

  /** As sent in a URL: escaped, and unescaped if a request line allows it. */
  function* spellings(string: string): Generator<string> {
    if (string.isWellFormed()) yield encodeURIComponent(string)
    if (/^[\x21-\x7e]+$/.test(string) && !/[?#]/.test(string)) yield string
  }

  beforeEach(() => {
    lines.length = 0
  })

  /** Every log line is one JSON document, without control sequences, whatever was sent. */
  function assertSoundLog(): void {
    for (const line of lines) {
      assert.match(line, /^[^\p{Control}\u{2028}\u{2029}]*\n$/u)
      JSON.parse(line)
    }
  }

  void test('trust 31, 40: whatever an ID in a path is replaced with, no file is touched and the response is 4xx', async () => {
    const before = await filesBelow(waymark.dataDir)
    let [sent, logged] = [0, 0]
    for (const string of naughtyStrings.filter((one) => one !== '')) {
      for (const spelled of spellings(string)) {
        for (const path of [
          `/Trails/${spelled}/Images?api_key=${key}`,
          `/Trails/4711/Images/${spelled}`,
          `/v2/images/${spelled}`,
          `/v2/trails/${spelled}/images`,
          `/${spelled}`,
        ]) {
          const answer = await send(waymark.url, { path, headers: bearer })
          const text = await answer.text()
          sent += 1
          const isRoot = path === '/' || /^\/(\.|%2e|~|\?)*$/i.test(path)
          const isFine =
            (answer.status >= 400 && answer.status < 500) || (answer.status === 200 && isList(path))
          assert.ok(isFine || isRoot, `${path} → ${answer.status} ${text}`)
          assert.doesNotMatch(text, leak, path)
        }
      }
    }
    assert.deepEqual(await filesBelow(waymark.dataDir), before)
    logged = lines.filter((line) => line.includes('"msg":"request"')).length
    assert.equal(logged, sent, 'one line a request')
    assertSoundLog()
  })

  /** A string that makes the path that of the list itself, such as "/" and "?". */
  function isList(path: string): boolean {
    return /^\/Trails\/4711\/Images\/?$/i.test(new URL(path, 'http://waymark.example').pathname)
  }

  void test('trust 31: whatever a query contains, the response is the image, the list or 4xx', async () => {
    for (const string of naughtyStrings) {
      if (!string.isWellFormed()) continue
      const escaped = encodeURIComponent(string)
      const expected: readonly (readonly [path: string, statuses: readonly number[]])[] = [
        [`/ImageHandler?id=${escaped}`, [400, 404, 414]],
        [`/ImageHandler?id=${imageId}&t=${escaped}`, [400, 414]],
        [`/ImageHandler?id=${imageId}&t=sm&f=${escaped}`, [400, 414]],
        [`/Trails/4711/Images?api_key=${escaped}`, [400, 401, 414]],
        [`/Trails/4711/Images?api_key=${key}&${escaped}=${escaped}`, [200, 401, 414]],
        [`/v2/images?limit=${escaped}`, [200, 400, 414]],
        [`/v2/images?cursor=${escaped}`, [200, 400, 414]],
        [`/v2/images?status=${escaped}`, [200, 400, 414]],
      ]
      for (const [path, statuses] of expected) {
        const headers = path.startsWith('/Trails') ? {} : bearer
        const answer = await send(waymark.url, { path, headers })
        const text = await answer.text()
        assert.ok(statuses.includes(answer.status), `${path} → ${answer.status} ${text.slice(0, 300)}`)
        if (answer.status !== 200) assert.doesNotMatch(text, leak, path)
      }
    }
    assertSoundLog()
  })

  void test('trust 37, C8, C13: a title or caption is stored exactly in JSON and XML, or refused for a reason in the contract', async () => {
    for (const string of naughtyStrings) {
      const json = await put('application/json', JSON.stringify({ title: string, caption: string }))
      const isTooLong = countCharacters(string) > 256
      if (forbiddenInXml.test(string) || isTooLong) {
        assert.equal(json.status, 400, JSON.stringify(string))
        continue
      }
      assert.equal(json.status, 200, `${JSON.stringify(string)} ${await json.text()}`)
      const shown = string === '' ? ' ' : string
      const seen = async (): Promise<void> => {
        const inJson = JSON.parse(await get('application/json')) as Fields
        assert.deepEqual([inJson['title'], inJson['caption']], [shown, shown])
        const inXml = valueOf(readXml(bytesOf(await get('application/xml')), undefined))
        const texts = inXml.children.filter(({ name }) => name === 'title' || name === 'caption')
        assert.deepEqual(
          texts.map(({ text }) => text),
          [shown, shown],
        )
        assert.equal(
          inXml.children.length,
          trailImageDetails.xmlFields.length,
          'nothing of it became an element',
        )
      }
      await seen()
      const body = `<TrailImageDetails>${writeXmlText('title', string)}${writeXmlText('caption', string)}</TrailImageDetails>`
      assert.equal((await put('application/xml', body)).status, 200)
      await seen()
    }
    assertSoundLog()
  })

  /** By the service's XML writer, which the contract tests check. */
  function writeXmlText(name: 'title' | 'caption', text: string): string {
    const details = {
      caption: text,
      title: text,
      detailUrl: '',
      displayName: '',
      imageID: 1,
      lat: '0',
      lon: '0',
      mimeType: 'image/png',
      postDate: 0,
      submitterAcctID: 1,
      trailID: 1,
      trailName: '',
      addUser: '',
      email: '',
    }
    const whole = writeXml(trailImageDetails, details)
    return new RegExp(`<${name}[^>]*>[^<]*</${name}>`).exec(whole)?.[0] ?? ''
  }

  void test('trust 31, C9: whatever a coordinate or an ID in a body is replaced with, it is a number of the right kind or 400', async () => {
    for (const string of naughtyStrings) {
      for (const name of ['lat', 'lon', 'imageID', 'trailID']) {
        const answer = await put('application/json', JSON.stringify({ lat: '1', lon: '1', [name]: string }))
        assert.ok([200, 400].includes(answer.status), `${name} ${JSON.stringify(string)} → ${answer.status}`)
      }
      const { lat, lon } = await rowNow()
      assert.match(`${lat} ${lon}`, /^(-?\d{1,3}(\.\d+)?) (-?\d{1,3}(\.\d+)?)$/)
    }
  })

  void test('trust 44, C20: a PUT with every other field, of any value, changes none of them', async () => {
    await put('application/json', '{"title":"before","caption":"","lat":"1","lon":"1"}')
    const before = await rowNow()
    assert.deepEqual([before.state, before.submitter_id], ['pending', ana.accountId])
    const columns = Object.keys(before).filter(
      (column) => !['title', 'caption', 'lat', 'lon', 'updated_at', 'details_set_at'].includes(column),
    )
    const wireNames = trailImageDetails.xmlFields
      .map(({ name }) => name)
      .filter((name) => !['title', 'caption', 'lat', 'lon', 'imageID', 'trailID'].includes(name))
    const values = [
      stranger.accountId,
      'approved',
      0,
      -1,
      null,
      true,
      [],
      {},
      '../x',
      '2001-01-01 00:00:00Z',
      { $ne: 1 },
    ]
    const names = [
      ...columns,
      ...wireNames,
      'status',
      'state',
      'role',
      'id',
      'ID',
      'SubmitterAcctID',
      'isAdmin',
      '$where',
    ]
    for (const value of values) {
      const body = JSON.stringify({
        ...Object.fromEntries(names.map((name) => [name, value])),
        title: 'before',
      })
      assert.equal((await put('application/json', body)).status, 200, body)
      assert.deepEqual(await asBefore(before), before, body)
    }
    const elements = names
      .filter((name) => /^\w+$/.test(name))
      .map((name) => `<${name}>${stranger.accountId}</${name}>`)
    const body = `<TrailImageDetails>${elements.join('')}<title>before</title></TrailImageDetails>`
    assert.equal((await put('application/xml', body)).status, 200)
    assert.deepEqual(await asBefore(before), before)
  })

  void test('trust 36: names of Object.prototype are names like any other, everywhere', async () => {
    const poison = '{"polluted":"yes"}'
    const bodies = ['__proto__', 'constructor', 'prototype'].flatMap((name) => [
      `{"${name}":${poison},"title":"t"}`,
      `{"title":"t","${name}":{"${name}":${poison}}}`,
      `{"constructor":{"prototype":${poison}},"title":"t"}`,
      `{"__proto__":{"title":"stolen"}}`,
    ])
    for (const body of bodies) {
      assert.equal((await put('application/json', body)).status, 200, body)
      assert.equal((await rowNow()).title, 't', body)
      const decision = { method: 'POST', path: `/v2/images/${imageId}/review`, body }
      const headers = { ...bearer, 'content-type': 'application/json' }
      assert.ok((await send(waymark.url, { ...decision, headers })).status < 500)
    }
    for (const query of [
      '__proto__[polluted]=yes',
      'constructor[prototype][polluted]=yes',
      '__proto__.polluted=yes',
      '__proto__=yes',
    ])
      assert.ok((await send(waymark.url, { path: `/v2/images?${query}`, headers: bearer })).status < 500)
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
    assert.equal(Object.keys(Object.prototype).length, 0)
  })

  void test('trust 40: whatever a header contains, the log has one line for the request and that line is JSON', async () => {
    const sendable = naughtyStrings.filter(
      (string) => /^[\t\x20-\x7e\x80-\xff]*$/.test(string) && string.length < 300,
    )
    for (const string of sendable) {
      const headers = {
        ...bearer,
        'user-agent': string,
        'x-request-id': string,
        referer: string,
        'x-forwarded-for': string,
        accept: string,
      }
      const answer = await send(waymark.url, { path: '/v2/images', headers })
      assert.ok(answer.status < 500, string)
    }
    assert.equal(lines.filter((line) => line.includes('"msg":"request"')).length, sendable.length)
    assertSoundLog()
  })
}
