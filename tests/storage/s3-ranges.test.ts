// Parts of blobs in stores and behind proxies that answer a range in ways of their own.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { openBlobs } from '../../src/storage/blob-store.ts'
import { readConfig } from '../../src/settings/config.ts'
import { newFolder } from '../helpers/folders.ts'

process.env['AWS_ACCESS_KEY_ID'] = 'somebody'
process.env['AWS_SECRET_ACCESS_KEY'] = 'secret'

const bytes = Buffer.from('0123456789abcdefghij')
const xml = '<Error><Code>InvalidRange</Code></Error>'

const answers: Readonly<Record<string, readonly [string | undefined, (response: ServerResponse) => void]>> = {
  'a part': [
    '56789',
    (response) =>
      response
        .writeHead(206, { 'content-range': 'bytes 5-9/20', 'content-length': 5 })
        .end(bytes.subarray(5, 10)),
  ],
  'the whole blob': ['56789', (response) => response.writeHead(200, { 'content-length': 20 }).end(bytes)],
  'a whole blob that is shorter': [
    undefined,
    (response) => response.writeHead(200, { 'content-length': 7 }).end(bytes.subarray(0, 7)),
  ],
  'no such range, as S3 says it': [
    undefined,
    (response) => response.writeHead(416, { 'content-type': 'application/xml' }).end(xml),
  ],
  'no such range, without a word': [
    undefined,
    (response) => response.writeHead(416, { 'content-length': 0 }).end(),
  ],
  'no such range, as a page': [
    undefined,
    (response) => response.writeHead(416, { 'content-type': 'text/html' }).end('<html></html>'),
  ],
}

for (const [what, [expected, answer]] of Object.entries(answers)) {
  void test(`a part of a blob, if a store responds with ${what}`, async (t) => {
    const server = createServer((_request, response) => answer(response)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const place = `s3://photos?endpoint=http://127.0.0.1:${port}&region=us-east-1&path-style=true`
    const blobs = await openBlobs(readConfig({ DATA_DIR: await newFolder(t), BLOB_URL: place }))
    t.after(async () => {
      await blobs.close()
      server.closeAllConnections()
      server.close()
    })
    const part = await blobs.readPart('a', 5, 5)
    assert.equal(part && Buffer.from(part).toString(), expected)
  })
}
