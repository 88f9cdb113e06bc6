// Imports with invalid, too long or truncated bodies: one clear refusal, and complete files before the fault are stored.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startWaymark } from '../../helpers/waymark.ts'
import {
  bodyOf,
  boundary,
  bytesOf,
  createImporter,
  gpxWith,
  multipart,
  named,
  type File,
  type Result,
  type Sent,
} from './import-helpers.ts'
import { jsonOf, type Problem } from '../v2-helpers.ts'

const maxImportBytes = 200_000
const maxGpxBytes = 20_000
const waymark = await startWaymark({
  environment: { MAX_IMPORT_BYTES: String(maxImportBytes), MAX_GPX_BYTES: String(maxGpxBytes) },
})
after(() => waymark.close())
const ana = await waymark.addPerson()
const { imported, send, countOf } = createImporter(waymark, ana)

void describe('an invalid multipart body', () => {
  const oneFile = bytesOf([['a', named('A')]])
  const whole: readonly (readonly [what: string, Partial<Sent>, status: number])[] = [
    [
      'no file',
      {
        body: `--${boundary}\r\nContent-Disposition: form-data; name="file"\r\n\r\ntext\r\n--${boundary}--\r\n`,
      },
      400,
    ],
    ['an empty form', { body: `--${boundary}--\r\n` }, 400],
    ['nothing', { body: '' }, 400],
    ['another boundary', { headers: { 'content-type': 'multipart/form-data; boundary=other' } }, 400],
    ['no boundary', { headers: { 'content-type': 'multipart/form-data' } }, 415],
    ['an empty boundary', { headers: { 'content-type': 'multipart/form-data; boundary=' } }, 400],
    ['another type', { headers: { 'content-type': 'application/gpx+xml' } }, 415],
    ['a content encoding', { headers: { 'content-encoding': 'gzip' } }, 415],
    ['a form that ends early', { body: oneFile.slice(0, 500) }, 400],
    ['no credential', { token: '' }, 401],
    ['a key that is none', { headers: { 'idempotency-key': '' } }, 400],
  ]
  for (const [what, sent, status] of whole) {
    void it(`${what} is ${status}, and stores nothing`, async () => {
      const person = await waymark.addPerson()
      const answer = await send({ person, body: oneFile, ...sent })
      assert.equal(answer.status, status, await answer.clone().text())
      assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/)
      assert.equal(await countOf(person), 0)
    })
  }

  void it('C36: an import for another account, or with a read-only token, is refused', async () => {
    const person = await waymark.addPerson()
    for (const token of [ana.token, await waymark.tokenFor(person.accountId, 'routes:read')]) {
      assert.equal((await send({ person, token, body: oneFile })).status, 403)
    }
    const gone = await waymark.fetch('/v2/accounts/1/routes/import', {
      method: 'POST',
      token: ana.token,
      headers: { 'content-type': multipart },
      body: oneFile,
    })
    assert.equal(gone.status, 404)
    assert.equal(await countOf(person), 0)
  })

  const many = (count: number): File[] =>
    Array.from({ length: count }, (_, index) => [`${index}.gpx`, gpxWith(String(index))])

  void it('files before the fault are imported, and nothing of the truncated file', async () => {
    const person = await waymark.addPerson()
    const body = bytesOf([
      ['whole', named('W')],
      ['cut', named('C')],
    ])
    // The GPX itself is complete, only the boundary after it is missing.
    const answer = await send({ person, body: body.slice(0, -boundary.length - 8) })
    assert.equal(answer.status, 200)
    const { results } = await jsonOf<{ results: Result[] }>(answer)
    assert.deepEqual(
      results.map(({ name, problem }) => name ?? problem?.detail.slice(0, 12)),
      ['W', 'The body is '],
    )
    assert.equal(await countOf(person), 1)
  })

  void it('100 files are accepted', async () => {
    const person = await waymark.addPerson()
    const results = await imported(many(100), { person })
    assert.equal(results.length, 100)
    assert.equal(await countOf(person), 100)
  })

  for (const chunkBytes of [100_000, 1_000]) {
    void it(`of 101 files, sent in chunks of ${chunkBytes}, 100 are accepted and one is reported`, async () => {
      const person = await waymark.addPerson()
      const body = ReadableStream.from(chunksOf(bodyOf(many(101)), chunkBytes))
      const answer = await send({ person, body })
      assert.equal(answer.status, 200, await answer.clone().text())
      const { results } = await jsonOf<{ results: Result[] }>(answer)
      assert.equal(results.length, 101)
      assert.deepEqual(
        results.map(({ name }) => name).slice(0, 100),
        many(100).map((_, index) => String(index)),
      )
      assert.match(results[100]?.problem?.detail ?? '', /at most 100 files/)
      assert.equal(await countOf(person), 100)
    })
  }

  void it('files after very many fields are not silently skipped', async () => {
    const fields = Array.from(
      { length: 200 },
      (_, index) => `--${boundary}\r\nContent-Disposition: form-data; name="f${index}"\r\n\r\nx\r\n`,
    )
    const answer = await send({ body: `${fields.join('')}${bodyOf([['a', named('A')]]).toString()}` })
    assert.equal(answer.status, 400)
    assert.match((await jsonOf<Problem>(answer)).detail ?? '', /at most 50 fields/)
  })

  void it('more bytes than MAX_IMPORT_BYTES get 413, declared or not', async () => {
    const person = await waymark.addPerson()
    const long = bytesOf([['long', 'x'.repeat(maxImportBytes)]])
    const declared = await send({ person, body: long })
    assert.equal(declared.status, 413)
    assert.match((await jsonOf<Problem>(declared)).detail ?? '', /200000 bytes/)
    const chunked = await send({ person, body: ReadableStream.from(chunksOf(Buffer.from(long), 16_384)) })
    assert.equal(chunked.status, 413)
    const files = [
      ['a', named('A')],
      ...Array.from({ length: 12 }, (_, index): File => [`${index}`, 'x'.repeat(maxGpxBytes)]),
    ] as File[]
    const late = await send({ person, body: ReadableStream.from(chunksOf(bodyOf(files), 16_384)) })
    const { results } = await jsonOf<{ results: Result[] }>(late)
    assert.equal(results[0]?.name, 'A')
    assert.equal(results.at(-1)?.problem?.status, 413)
    assert.equal(await countOf(person), 1)
  })
})

function* chunksOf(bytes: Buffer, length: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}
