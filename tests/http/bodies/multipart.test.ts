// The files of a multipart body in any chunks: all complete ones in order, then the fault.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../../src/errors.ts'
import { createLargeBodies } from '../../../src/http/bodies/large-bodies.ts'
import { filesOf, type SentFile } from '../../../src/http/bodies/multipart.ts'

const boundary = 'a-boundary'
const largeBodies = createLargeBodies(1_000)
const limits = { maxBytes: 10_000, maxFileBytes: 1_000, maxFiles: 3 }

/** The parts of a request that the reader uses. Real requests are tested in tests/account-routes/gpx/import.test.ts. */
function requestOf(body: string, chunkBytes: number, headers: Record<string, string> = {}): FastifyRequest {
  const bytes = Buffer.from(body)
  async function* read(): AsyncGenerator<Uint8Array, void> {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
  }
  const type = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  const server = { largeBodies }
  return { headers: { ...type, ...headers }, incoming: { read }, server } as unknown as FastifyRequest
}

const partOf = (disposition: string, content: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`
const file = (name: string, content: string): string => partOf(`name="file"; filename="${name}"`, content)
const closing = `--${boundary}--\r\n`

interface Outcome {
  readonly files: string[]
  readonly code: string | undefined
}

async function outcomeOf(files: () => AsyncIterable<SentFile>): Promise<Outcome> {
  const seen: string[] = []
  try {
    for await (const { name, bytes, isTooLong } of files()) {
      seen.push(`${name}=${Buffer.from(bytes).toString()}${isTooLong ? '…' : ''}`)
    }
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error))
    return { files: seen.map((text) => text.slice(0, 40)), code: error.code }
  }
  return { files: seen.map((text) => text.slice(0, 40)), code: undefined }
}

const long = 'x'.repeat(1_001)
const bodies: readonly (readonly [what: string, body: string, Outcome])[] = [
  ['two files', file('a', 'A') + file('b', 'B') + closing, { files: ['a=A', 'b=B'], code: undefined }],
  ['preamble and epilogue', `pre\r\n${file('a', 'A')}${closing}post`, { files: ['a=A'], code: undefined }],
  ['an empty file', file('a', '') + closing, { files: ['a='], code: undefined }],
  [
    'lines like a boundary',
    file('a', `\r\n--${boundary.slice(1)}\r\n--`) + closing,
    { files: [`a=\r\n--${boundary.slice(1)}\r\n--`], code: undefined },
  ],
  [
    'folders in a name',
    file('C:\\\\x\\\\a', 'A') + file('../b', 'B') + closing,
    { files: ['a=A', 'b=B'], code: undefined },
  ],
  ['a name beyond ASCII', file('é🥾', 'A') + closing, { files: ['é🥾=A'], code: undefined }],
  [
    'fields beside files',
    partOf('name="x"', 'y') + file('a', 'A') + closing,
    { files: ['a=A'], code: undefined },
  ],
  ['no files', partOf('name="x"', 'y') + closing, { files: [], code: undefined }],
  [
    'a long file',
    file('a', long) + file('b', 'B') + closing,
    { files: [`a=${long}`.slice(0, 40), 'b=B'], code: undefined },
  ],
  [
    'a file of the very length',
    file('a', long.slice(1)) + closing,
    { files: [`a=${long}`.slice(0, 40)], code: undefined },
  ],
  [
    'three files',
    ['a', 'b', 'c'].map((name) => file(name, name)).join('') + closing,
    { files: ['a=a', 'b=b', 'c=c'], code: undefined },
  ],
  [
    'four files',
    ['a', 'b', 'c', 'd'].map((name) => file(name, name)).join('') + closing,
    { files: ['a=a', 'b=b', 'c=c'], code: 'invalid-field' },
  ],
  [
    'too many fields',
    partOf('name="x"', 'y').repeat(60) + file('a', 'A') + closing,
    { files: [], code: 'invalid-field' },
  ],
  [
    'cut in the second file',
    `${file('a', 'A')}${file('b', 'B').slice(0, -2)}`,
    { files: ['a=A'], code: 'malformed-body' },
  ],
  [
    'cut before the closing boundary',
    file('a', 'A') + file('b', 'B'),
    { files: ['a=A'], code: 'malformed-body' },
  ],
  ['cut in the first file', file('a', 'A').slice(0, -2), { files: [], code: 'malformed-body' }],
  [
    'cut in a header',
    file('a', 'A') + file('b', 'B').slice(0, 30),
    { files: ['a=A'], code: 'malformed-body' },
  ],
  ['nothing', '', { files: [], code: 'malformed-body' }],
  ['no boundary in it', 'some text', { files: [], code: 'malformed-body' }],
]

void describe('however it is split into pieces', () => {
  for (const [what, body, expected] of bodies) {
    void it(what, async () => {
      for (const chunkBytes of [1, 7, 64, 100_000]) {
        const outcome = await outcomeOf(() => filesOf(requestOf(body, chunkBytes), limits))
        assert.deepEqual(outcome, expected, `pieces of ${chunkBytes}`)
      }
    })
  }

  void it('a body over the limit still gives the files before it', async () => {
    const body = file('a', 'A') + file('b', 'x'.repeat(11_000)) + closing
    const outcome = await outcomeOf(() => filesOf(requestOf(body, 500), limits))
    assert.deepEqual(outcome, { files: ['a=A'], code: 'body-too-large' })
  })
})

void describe('refused before the body is read', () => {
  const refused: readonly (readonly [headers: Record<string, string>, code: string])[] = [
    [{ 'content-length': '10001' }, 'body-too-large'],
    [{ 'content-type': 'text/plain' }, 'unsupported-media-type'],
    [{ 'content-type': 'multipart/mixed; boundary=a' }, 'unsupported-media-type'],
    [{ 'content-type': 'multipart/form-data' }, 'unsupported-media-type'],
    [{ 'content-encoding': 'gzip' }, 'unsupported-media-type'],
  ]
  for (const [headers, code] of refused) {
    void it(JSON.stringify(headers), () => {
      assert.throws(
        () => filesOf(requestOf(closing, 10, headers), limits),
        (error) => error instanceof Refusal && error.code === code,
      )
    })
  }
})
