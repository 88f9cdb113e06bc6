// Servers without ranges, with faults, or with a changed archive: one sentence each.
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { readAbout, requireFitting } from '../../src/base-map/archive/about.ts'
import { extract } from '../../src/base-map/archive/extract.ts'
import { plainFetch } from '../../cli/remote/plain-fetch.ts'
import { openHttpSource } from '../../src/base-map/archive/http-source.ts'
import type { ArchiveSource } from '../../src/base-map/archive/source.ts'
import { archiveOf, plainTile, tilesOf } from '../helpers/archives.ts'
import { sentenceOf } from '../helpers/refusals.ts'
import { filesBelow, newFolder } from '../helpers/folders.ts'
import { startRangeServer, type RangeServer } from '../helpers/range-server.ts'

const { signal } = new AbortController()
const waitsMs = [1, 1, 1]
const box = { west: -180, south: -85, east: 180, north: 85 }
const good = archiveOf(tilesOf(0, 3, plainTile))

async function take(source: ArchiveSource, target: string, isAnew = false): Promise<void> {
  try {
    await extract({
      source,
      target,
      isAnew,
      wanted: { from: 'the test', box, minZoom: 0, maxZoom: 15 },
      check: (header, metadata) => requireFitting('base', header, metadata),
    })
  } finally {
    await source.close()
  }
}

type Answer = (response: ServerResponse, start: number, end: number) => void
const answers: readonly (readonly [name: string, answer: Answer, sentence: RegExp, code: string])[] = [
  ['the whole file', (response) => response.end(good), /does not answer ranges/, 'wrong-file'],
  ['a web page', (response) => response.end('<!doctype html>Sign in'), /It is a web page/, 'wrong-file'],
  [
    '404',
    (response) => response.writeHead(404).end(),
    /cannot be read: 127\.0\.0\.1:\d+ answers 404/,
    'wrong-file',
  ],
  ['an empty file', (response) => response.writeHead(416).end(), /is empty/, 'wrong-file'],
  [
    'a range without an end',
    (response) => response.writeHead(206, { 'content-range': 'bytes 0-0/*' }).end('P'),
    /answers other ranges/,
    'wrong-file',
  ],
  [
    'another range',
    (response) => response.writeHead(206, { 'content-range': 'bytes 5-5/900' }).end('P'),
    /answers other ranges/,
    'wrong-file',
  ],
  [
    'a compressed range',
    (response) =>
      response
        .writeHead(206, { 'content-range': 'bytes 0-0/900', 'content-encoding': 'gzip' })
        .end(gzipSync('P')),
    /the response is compressed/,
    'wrong-file',
  ],
  [
    'more than the range',
    (response) => response.writeHead(206, { 'content-range': 'bytes 0-0/900' }).end('PMTiles'),
    /sends more than/,
    'wrong-file',
  ],
  [
    'a redirect to ftp',
    (response) => response.writeHead(302, { location: 'ftp://a.example/' }).end(),
    /redirects to an address that is not https/,
    'wrong-file',
  ],
  [
    'a redirect to itself',
    (response) => response.writeHead(302, { location: '/world.pmtiles' }).end(),
    /redirects more than 5 times/,
    'wrong-file',
  ],
  [
    '503 for ever',
    (response) => response.writeHead(503).end(),
    /at the moment: 127\.0\.0\.1:\d+ answers 503\. Run the same command again/,
    'unreachable',
  ],
  ['no answer', (response) => response.destroy(), /at the moment: the connection fails/, 'unreachable'],
  [
    'a wait of an hour',
    (response) => response.writeHead(429, { 'retry-after': '3600' }).end(),
    /asks to wait 60 minutes/,
    'unreachable',
  ],
]

function always(server: RangeServer, answer: Answer): void {
  server.next((_request, response, { start, end }) => {
    answer(response, start, end)
    always(server, answer)
    return true
  })
}

for (const [name, answer, expected, code] of answers) {
  void test(`a server is refused: ${name}`, async (t) => {
    const server = await startRangeServer(t, good)
    always(server, answer)
    const failed = await sentenceOf(openHttpSource(server.url, { send: plainFetch, signal, waitsMs }))
    assert.match(failed.message, expected)
    assert.equal(failed.failureCode, code)
  })
}

void test('redirects are followed, and requested again if a URL expires', async (t) => {
  const folder = await newFolder(t)
  const server = await startRangeServer(t, good)
  let isExpired = false
  const front = await startRangeServer(t, good)
  always(front, (response) => response.writeHead(302, { location: server.url }).end())
  server.next(
    () => undefined,
    (_request, response) => {
      isExpired = true
      response.writeHead(403).end()
      return true
    },
  )
  const source = await openHttpSource(front.url, { send: plainFetch, signal, waitsMs })
  await take(source, path.join(folder, 'base.pmtiles'))
  assert.ok(isExpired)
  assert.equal(front.asked.length, 2)
})

async function interrupted(t: TestContext) {
  const folder = await newFolder(t)
  const target = path.join(folder, 'base.pmtiles')
  const server = await startRangeServer(t, good)
  const source = await openHttpSource(server.url, { send: plainFetch, signal, waitsMs: [] })
  // Header, metadata, and then nothing of the tiles.
  server.next(
    () => undefined,
    () => undefined,
    (_request, response) => (response.destroy(), true),
  )
  await sentenceOf(take(source, target))
  assert.deepEqual(await filesBelow(folder), ['base.pmtiles.part', 'base.pmtiles.part.state'])
  return { target, server }
}

void test('a source that was replaced in the meantime is only restarted if asked for', async (t) => {
  const { target, server } = await interrupted(t)
  server.replace(archiveOf(tilesOf(0, 4, plainTile)))
  const again = () => openHttpSource(server.url, { send: plainFetch, signal, waitsMs })
  const failed = await sentenceOf(again().then((source) => take(source, target)))
  assert.match(failed.message, /has changed since .* was begun\. Run the command again with --start-over/)
  await take(await again(), target, true)
  assert.equal((await readAbout(target, 'base')).content?.maxZoom, 4)
})

void test('a source that is replaced during reading is reported', async (t) => {
  const { target, server } = await interrupted(t)
  const source = await openHttpSource(server.url, { send: plainFetch, signal, waitsMs })
  server.replace(Buffer.concat([good, Buffer.alloc(1)]))
  assert.match((await sentenceOf(take(source, target))).message, /replaced while it was being read/)
})
