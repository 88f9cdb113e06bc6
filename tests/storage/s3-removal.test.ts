// Many objects removed in one call: what it says of single keys is told, what it does not say counts as not removed.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openBlobs } from '../../src/storage/blob-store.ts'
import { readConfig } from '../../src/settings/config.ts'
import { newFolder } from '../helpers/folders.ts'

process.env['AWS_ACCESS_KEY_ID'] = 'somebody'
process.env['AWS_SECRET_ACCESS_KEY'] = 'secret'

interface Asked {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

interface Said {
  readonly status?: number
  readonly body?: string
  readonly afterMs?: number
}

const keysIn = (body: string): string[] =>
  [...body.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key)

const result = (inner: string): Said => ({
  body: `<?xml version="1.0"?><DeleteResult>${inner}</DeleteResult>`,
})
const deleted = (keys: readonly string[]): string =>
  keys.map((key) => `<Deleted><Key>${key}</Key></Deleted>`).join('')
const refused = (key: string, code: string): string =>
  `<Error><Key>${key}</Key><Code>${code}</Code><Message>told by a test</Message></Error>`

/** A store of one bucket that says what the test wants; it keeps nothing. */
async function openStore(t: TestContext, say: (asked: Asked) => Said) {
  const asked: Asked[] = []
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url, headers } = request
    const one = { method, url, headers, body: await text(request) }
    asked.push(one)
    const { status = 200, body = '', afterMs = 0 } = say(one)
    await pause(afterMs)
    response.writeHead(status, { 'content-type': 'application/xml' }).end(body)
  }
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const blobUrl = `s3://photos/below?endpoint=http://127.0.0.1:${port}&region=us-east-1&path-style=true`
  const blobs = await openBlobs(readConfig({ DATA_DIR: await newFolder(t), BLOB_URL: blobUrl }))
  t.after(async () => {
    await blobs.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { blobs, asked }
}

const messagesOf = (failed: ReadonlyMap<string, Error>): Record<string, string> =>
  Object.fromEntries([...failed].map(([key, { message }]) => [key, message]))

void test('a batch is one call with the checksum that every store accepts', async (t) => {
  const { blobs, asked } = await openStore(t, ({ body }) => result(deleted(keysIn(body))))
  assert.deepEqual([...(await blobs.removeAll(['a', 'b/c'], () => true))], [])
  assert.equal(asked.length, 1)
  const [{ method, url, headers, body } = assert.fail()] = asked
  assert.deepEqual([method, url, keysIn(body)], ['POST', '/photos/?delete=', ['below/a', 'below/b/c']])
  assert.equal(headers['content-md5'], createHash('md5').update(body).digest('base64'))
  assert.deepEqual(
    Object.keys(headers).filter((name) => name.includes('checksum')),
    [],
  )
  assert.match(headers.authorization ?? '', /SignedHeaders=[^,]*content-md5/)
})

void test('the failure of a single key is reported with its key, and a missing key is not a failure', async (t) => {
  const { blobs } = await openStore(t, () =>
    result(deleted(['below/a']) + refused('below/b', 'AccessDenied') + refused('below/c', 'NoSuchKey')),
  )
  assert.deepEqual(messagesOf(await blobs.removeAll(['a', 'b', 'c'], () => true)), {
    b: 'DeleteObjects: AccessDenied: told by a test',
  })
})

void test('a key not mentioned in the response is not reported as deleted', async (t) => {
  for (const inner of [deleted(['below/a', 'below/other']), '']) {
    const { blobs } = await openStore(t, () => result(inner))
    const failed = await blobs.removeAll(['a', 'b'], () => true)
    assert.deepEqual([...failed.keys()], inner === '' ? ['a', 'b'] : ['b'])
    assert.match(failed.get('b')?.message ?? '', /no word of this key/)
  }
})

void test('a batch that fails completely fails for each of its keys, is sent once, and does not stop others', async (t) => {
  const { blobs, asked } = await openStore(t, ({ body }) =>
    keysIn(body).includes('below/k0') ? { status: 503 } : result(deleted(keysIn(body))),
  )
  const keys = Array.from({ length: 120 }, (_, at) => `k${at}`)
  const failed = await blobs.removeAll(keys, () => true)
  assert.deepEqual([...failed.keys()], keys.slice(0, 50))
  const sent = asked.flatMap(({ body }) => keysIn(body))
  assert.deepEqual(
    [sent.length, new Set(sent).size],
    [120, 120],
    'what may be at work still is not sent again',
  )
})

void test('a store without batch deletion is asked to remove one key at a time', async (t) => {
  const { blobs, asked } = await openStore(t, ({ method, url }) => {
    if (method === 'POST') return { status: 501 }
    return url?.startsWith('/photos/below/bad') ? { status: 403 } : { status: 204 }
  })
  const failed = await blobs.removeAll(['a', 'bad', 'c'], () => true)
  assert.deepEqual([...failed.keys()], ['bad'])
  const removed = asked.filter(({ method }) => method === 'DELETE').map(({ url }) => url?.split('?')[0])
  assert.deepEqual(new Set(removed), new Set(['/photos/below/a', '/photos/below/bad', '/photos/below/c']))
})

void test('batches grow up to a thousand if the store is fast, and shrink if it is slow', async (t) => {
  let afterMs = 0
  const { blobs, asked } = await openStore(t, ({ body }) => ({ ...result(deleted(keysIn(body))), afterMs }))
  const keys = Array.from({ length: 6_000 }, (_, at) => `k${at}`)
  await blobs.removeAll(keys, () => true)
  const sizes = asked.map(({ body }) => keysIn(body).length)
  assert.ok(sizes[0] === 50 && Math.max(...sizes) >= 400 && Math.max(...sizes) <= 1_000, sizes.join())
  afterMs = 2_100
  asked.length = 0
  await blobs.removeAll(keys.slice(0, 3 * Math.max(...sizes)), () => true)
  const [first = 0, second, third = 0] = asked.map(({ body }) => keysIn(body).length)
  assert.ok(third <= first / 2, `${first}, ${second}, then ${third}`)
})
