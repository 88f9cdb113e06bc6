// A form with one file, streamed in any chunks: bounded, and complete or refused.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { Refusal, refuse } from '../../../src/errors.ts'
import { openForm, type StreamedForm } from '../../../src/http/bodies/multipart.ts'

const boundary = 'a-boundary'
const contentType = `multipart/form-data; boundary=${boundary}`

/** The parts of a request that the reader uses. */
function formOf(body: AsyncIterable<Uint8Array>, headers: Record<string, string> = {}): StreamedForm {
  const request = { headers: { 'content-type': contentType, ...headers }, incoming: { read: () => body } }
  return openForm(request as unknown as FastifyRequest, {
    file: 'file',
    fields: ['details', 'more'],
    maxFieldBytes: 100,
    maxBytes: 10_000,
    checkFile: (type) => {
      if (type === 'text/html') throw refuse('unsupported-image-type')
    },
  })
}

async function* inChunks(text: string, chunkBytes: number): AsyncGenerator<Uint8Array, void> {
  const bytes = Buffer.from(text, 'latin1')
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
}

const partOf = (disposition: string, content: string, type = ''): string =>
  `--${boundary}\r\nContent-Disposition: form-data; ${disposition}${type && `\r\nContent-Type: ${type}`}\r\n\r\n${content}\r\n`
const file = (content: string, type = 'image/jpeg'): string =>
  partOf('name="file"; filename="a.jpg"', content, type)
const closing = `--${boundary}--\r\n`

async function outcomeOf(body: string, chunkBytes: number): Promise<string> {
  const form = formOf(inChunks(body, chunkBytes))
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of form.file) chunks.push(chunk)
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error))
    return `${error.code}: ${error.detail ?? ''}`
  }
  const details = form.field('details')
  const said = details
    ? `${details.type ?? 'undeclared'} ${Buffer.from(details.bytes).toString()}`
    : 'nothing'
  return `${Buffer.concat(chunks).toString('latin1')} | ${said}`
}

const everyByte = String.fromCharCode(...Array.from({ length: 256 }, (_, index) => index))
const bodies: readonly (readonly [what: string, body: string, outcome: string | RegExp])[] = [
  ['a file alone', file('A') + closing, 'A | nothing'],
  ['every byte', file(everyByte) + closing, `${everyByte} | nothing`],
  ['an empty file', file('') + closing, ' | nothing'],
  [
    'details before it',
    partOf('name="details"', '{}', 'application/json') + file('A') + closing,
    'A | application/json {}',
  ],
  ['details after it', file('A') + partOf('name="details"', '{}') + closing, 'A | undeclared {}'],
  [
    'details with a file name, as browsers send them',
    file('A') + partOf('name="details"; filename="blob"', '{}', 'application/json; charset=utf-8') + closing,
    'A | application/json {}',
  ],
  ['a file without a name or type', partOf('name="file"', 'A') + closing, 'A | nothing'],
  ['preamble and epilogue', `pre\r\n${file('A')}${closing}post`, 'A | nothing'],
  [
    'lines like a boundary',
    file(`\r\n--${boundary.slice(1)}\r\n--`) + closing,
    `\r\n--${boundary.slice(1)}\r\n-- | nothing`,
  ],
  [
    'a field of the very length',
    partOf('name="details"', 'x'.repeat(100)) + file('A') + closing,
    /^A \| und/,
  ],
  [
    'a field too long',
    partOf('name="details"', 'x'.repeat(101)) + file('A') + closing,
    /^body-too-large: .*det/,
  ],
  ['a field too long after it', file('A') + partOf('name="details"', 'x'.repeat(101)) + closing, /^body-too/],
  ['a body too long', `${'x'.repeat(10_000)}\r\n${file('A')}${closing}`, /^body-too-large: The body/],
  ['no parts', closing, 'invalid-field: The part file is missing.'],
  ['no file', partOf('name="details"', '{}') + closing, 'invalid-field: The part file is missing.'],
  ['two files', file('A') + file('B') + closing, 'invalid-field: Duplicate part: file.'],
  ['an unknown part', file('A') + partOf('name="x"', '') + closing, /^invalid-field: The part x is unknown/],
  [
    'a part without a name',
    file('A') + partOf('filename="x"', 'x') + closing,
    /^invalid-field: A part without a name is/,
  ],
  ['a file declared as a page', file('A', 'text/html') + closing, /^unsupported-image-type/],
  ['cut in the file', file('A'.repeat(50)).slice(0, -20), /^malformed-body/],
  ['cut before the closing boundary', file('A'), /^malformed-body/],
  ['cut in the details', file('A') + partOf('name="details"', '{}').slice(0, -3), /^malformed-body/],
  ['cut in a header', file('A') + partOf('name="details"', '{}').slice(0, 40), /^malformed-body/],
  ['nothing', '', /^malformed-body/],
  ['no boundary in it', 'just text', /^malformed-body/],
]

describe('however it is split into pieces', () => {
  for (const [what, body, outcome] of bodies)
    it(what, async () => {
      for (const chunkBytes of [1, 7, 64, body.length || 1]) {
        const came = await outcomeOf(body, chunkBytes)
        if (typeof outcome === 'string') assert.equal(came, outcome, `${chunkBytes} bytes a piece`)
        else assert.match(came, outcome, `${chunkBytes} bytes a piece`)
      }
    })
})

it('passes on the bytes of the file before the rest has arrived', async () => {
  let isFirstRead = false
  async function* body(): AsyncGenerator<Uint8Array, void> {
    yield Buffer.from(file('A'.repeat(500)).slice(0, 400))
    yield Buffer.from(file('A'.repeat(500)).slice(400))
    assert.ok(isFirstRead, 'the file is held back')
    yield Buffer.from(closing)
  }
  let bytes = 0
  for await (const chunk of formOf(body()).file) {
    isFirstRead = true
    bytes += chunk.length
  }
  assert.equal(bytes, 500)
})

it('ends when its consumer stops reading', async () => {
  let hasEnded = false
  async function* body(): AsyncGenerator<Uint8Array, void> {
    try {
      yield Buffer.from(file('A'.repeat(500)))
      yield Buffer.from(closing)
    } finally {
      hasEnded = true
    }
  }
  for await (const chunk of formOf(body()).file) if (chunk.length > 0) break
  assert.ok(hasEnded)
})

describe('refused before the body is read', () => {
  const body = async function* (): AsyncGenerator<Uint8Array, void> {
    yield await Promise.reject(new Error('the body was read'))
  }
  for (const headers of [
    { 'content-type': 'text/plain' },
    { 'content-type': 'multipart/mixed; boundary=a' },
    { 'content-type': 'multipart/form-data' },
    { 'content-encoding': 'gzip' },
  ])
    it(JSON.stringify(headers), () => {
      assert.throws(
        () => formOf(body(), headers),
        (error) => error instanceof Refusal && error.code === 'unsupported-media-type',
      )
    })
})
