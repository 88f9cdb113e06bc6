// POST /v2/accounts/{acctID}/routes/import: one result per file, in order, independent of the other files.
import assert from 'node:assert/strict'
import net from 'node:net'
import { after, describe, it } from 'node:test'
import { startWaymark } from '../../helpers/waymark.ts'
import {
  bodyOf,
  bytesOf,
  createImporter,
  gpxWith,
  multipart,
  named,
  type File,
  type Result,
} from './import-helpers.ts'
import { betraying, gpxOf, jsonOf, northward, setOf, type RouteDocument } from '../v2-helpers.ts'

const maxGpxBytes = 20_000
const waymark = await startWaymark({ environment: { MAX_GPX_BYTES: String(maxGpxBytes) } })
after(() => waymark.close())
const ana = await waymark.addPerson()
const { imported, countOf } = createImporter(waymark, ana)

void describe('results', () => {
  void it('there is one for each file, in order, and a bad file does not stop the others', async () => {
    const person = await waymark.addPerson()
    const files: File[] = [
      ['one.gpx', named('First')],
      ['two.gpx', 'not a gpx'],
      ['three.gpx', gpxOf([northward(45, 7, 4)]).replaceAll(/<name>[^<]*<\/name>/g, '')],
      ['four.GPX', ''],
      ['five', gpxWith('No points')],
      ['six.gpx', '<!DOCTYPE gpx [<!ENTITY a "b">]><gpx/>'],
      ['seven.gpx', `<gpx><trk><trkseg><trkpt lat="1" lon="2"/></trkseg></trk></gpx>`],
    ]
    const results = await imported(files, { person })
    assert.deepEqual(
      results.map(({ file }) => file),
      files.map(([name]) => name),
    )
    assert.deepEqual(
      results.map(({ problem }) => problem?.status ?? 200),
      [200, 400, 200, 400, 200, 400, 200],
    )
    assert.deepEqual(
      results.map(({ name }) => name),
      ['First', undefined, 'three', undefined, 'No points', undefined, 'seven'],
    )
    const [first, , third] = results
    assert.deepEqual(first?.duplicates, [])
    assert.deepEqual(third?.duplicates, [first?.routeID])
    assert.match(results[3]?.problem?.detail ?? '', /empty/)
    assert.deepEqual(results[6]?.warnings?.map(({ code }) => code).toSorted(), [
      'no-creator',
      'no-namespace',
      'no-version',
    ])
    for (const { routeID } of results.filter(({ routeID: id }) => id !== undefined)) {
      const route = await jsonOf<RouteDocument>(
        await waymark.fetch(`/v2/routes/${routeID}`, { token: person.token }),
      )
      assert.equal(route.visibility, 'private')
    }
    assert.equal(await countOf(person), 4)
  })

  void it('have the names of the files as they were sent, and routes get valid names', async () => {
    const bare = gpxOf([northward(45, 7, 4)]).replaceAll(/<name>[^<]*<\/name>/g, '')
    const results = await imported([
      ['Über die Alm 🥾.gpx', bare],
      ['C:\\\\fakepath\\\\walk.GPX', bare],
      ['../../etc/passwd.gpx', bare],
      [`${'x'.repeat(1_100)}.gpx`, bare],
      ['', bare],
      ['.gpx', bare],
      ['a\u0007b.gpx', bare],
    ])
    const names = results.map(({ name }) => name)
    assert.deepEqual(names.slice(0, 3), ['Über die Alm 🥾', 'walk', 'passwd'])
    assert.deepEqual(names.slice(3, 6), ['', '', ''])
    assert.equal(
      results.every(({ problem }) => problem === undefined),
      true,
    )
    for (const { name = '' } of results) assert.equal(/[\\/]|\p{Cc}/u.test(name), false)
  })

  void it('report a file that is longer than a GPX may be, and accept the ones beside it', async () => {
    const long = gpxWith('x').replace('</gpx>', `<!--${'x'.repeat(2 * maxGpxBytes)}--></gpx>`)
    const results = await imported([
      ['a', named('A')],
      ['long', long],
      ['b', named('B')],
    ])
    assert.deepEqual(
      results.map(({ problem }) => problem?.status),
      [undefined, 400, undefined],
    )
    assert.match(results[1]?.problem?.detail ?? '', /at most 20000 bytes/)
  })
})

void describe('encodings', () => {
  const text = (encoding: string): string =>
    `<?xml version='1.0' encoding='${encoding}'?>${gpxWith('Größe €')}`
  const utf16 = (bytes: Buffer, mark: readonly number[]): Buffer => Buffer.concat([Buffer.from(mark), bytes])
  const little = (string: string): Buffer => Buffer.from(string, 'utf16le')
  const cases: readonly (readonly [what: string, Buffer, name: string])[] = [
    ['UTF-8 with its mark', utf16(Buffer.from(text('UTF-8')), [0xef, 0xbb, 0xbf]), 'Größe €'],
    ['UTF-16LE', utf16(little(text('UTF-16')), [0xff, 0xfe]), 'Größe €'],
    ['UTF-16BE', utf16(little(text('UTF-16')).swap16(), [0xfe, 0xff]), 'Größe €'],
    ['UTF-8 that says it is UTF-16, as .NET writes it', Buffer.from(text('utf-16')), 'Größe €'],
    ['ISO-8859-1', Buffer.from(text('ISO-8859-1').replace(' €', ''), 'latin1'), 'Größe'],
    ['windows-1252', Buffer.from(text('windows-1252').replace('€', '\u0080'), 'latin1'), 'Größe €'],
  ]
  void it('are read as the file declares', async () => {
    const results = await imported(cases.map(([what, bytes]) => [what, bytes]))
    assert.deepEqual(
      results.map(({ name }) => name),
      cases.map(([, , name]) => name),
    )
    const routes = results.map(({ routeID }) =>
      waymark.fetch(`/v2/routes/${routeID}.gpx`, { token: ana.token }),
    )
    for (const answer of await Promise.all(routes)) assert.match(await answer.text(), /<name>Größe/)
  })

  void it('that are unknown, or do not match the bytes, are reported', async () => {
    const results = await imported([
      ['unknown', text('EBCDIC-DE')],
      ['invalid', Buffer.from(text('UTF-8'), 'latin1')],
      ['cut', utf16(little(text('UTF-16')).subarray(0, -1), [0xff, 0xfe])],
    ])
    assert.deepEqual(
      results.map(({ problem }) => problem?.status),
      [400, 400, 400],
    )
    assert.match(results[0]?.problem?.detail ?? '', /EBCDIC-DE/)
    assert.match(results[1]?.problem?.detail ?? '', /UTF-8/)
  })
})

void describe('C18: Idempotency-Key', () => {
  const headers = { 'idempotency-key': 'import-1' }
  const files: File[] = [
    ['a', named('A', 1)],
    ['b', 'wrong'],
    ['c', named('C', 2)],
  ]

  void it('repeated, it returns the same IDs and creates nothing', async () => {
    const person = await waymark.addPerson()
    const first = await imported(files, { person, headers })
    const again = await imported(files, { person, headers })
    assert.deepEqual(
      again.map(({ routeID }) => routeID),
      first.map(({ routeID }) => routeID),
    )
    assert.equal(await countOf(person), 2)
    const changed = await imported(
      [
        ['a', named('A', 9)],
        ['b', named('B', 3)],
      ],
      { person, headers },
    )
    assert.equal(changed[0]?.problem?.status, 422)
    assert.equal(changed[1]?.problem, undefined)
    await imported(files, { person })
    assert.equal(await countOf(person), 5)
  })

  void it('after a lost connection, the repeat creates the rest', async () => {
    const person = await waymark.addPerson()
    const body = bodyOf(files)
    const socket = net.connect(Number(new URL(waymark.url).port), '127.0.0.1')
    const head = [
      `POST ${setOf(person)}/import HTTP/1.1`,
      'Host: a',
      `Authorization: Bearer ${person.token}`,
      `Content-Type: ${multipart}`,
      `Content-Length: ${body.length}`,
      'Idempotency-Key: import-1',
    ]
    socket.on('error', () => undefined)
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    socket.write(body.subarray(0, body.length - 300))
    const until = Date.now() + 30_000
    while ((await countOf(person)) === 0 && Date.now() < until)
      await new Promise((resolve) => setImmediate(resolve))
    socket.destroy()
    assert.equal(await countOf(person), 1)
    const results = await imported(files, { person, headers })
    assert.deepEqual(
      results.map(({ name }) => name),
      ['A', undefined, 'C'],
    )
    assert.equal(await countOf(person), 2)
  })
})

void it('quota refusals are reported file by file', async () => {
  const small = await startWaymark({ environment: { QUOTA_ROUTES: '2' } })
  try {
    const person = await small.addPerson()
    const body = bytesOf([1, 2, 3].map((number): File => [`${number}`, named(String(number), number)]))
    const answer = await small.fetch(`${setOf(person)}/import`, {
      method: 'POST',
      token: person.token,
      headers: { 'content-type': multipart },
      body,
    })
    const { results } = await jsonOf<{ results: Result[] }>(answer)
    assert.deepEqual(
      results.map(({ problem }) => problem?.status),
      [undefined, undefined, 403],
    )
    assert.equal(JSON.stringify(results).includes(betraying), false)
  } finally {
    await small.close()
  }
})
