// What is true of S3 alone: bytes that were changed in the store, a bucket that cannot be used, and what each says.
import assert from 'node:assert/strict'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { runChecks } from '../../cli/doctor-checks.ts'
import { openBlobs } from '../../src/storage/blob-store.ts'
import { readConfig } from '../../src/settings/config.ts'
import { Refusal } from '../../src/errors.ts'
import { runWaymark } from '../faults/harness/server.ts'
import { assertBytes, patterned, receiveWhole, sha256Of } from './blob-suite-parts.ts'
import { newFolder } from '../helpers/folders.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { blobUrlBelow, type Swift } from '../helpers/swift.ts'
import { startWaymark } from '../helpers/waymark.ts'

/** A port of loopback where nothing listens. */
const nowhere = 's3://photos?endpoint=http://127.0.0.1:1'

async function assertFault(work: Promise<unknown>, code: string): Promise<void> {
  await assert.rejects(work, (error: unknown) => {
    assert.ok(error instanceof Refusal && error.cause instanceof Error)
    const { cause, headers } = error
    assert.deepEqual([error.code, headers['Retry-After']], ['storage-unavailable', '5'])
    assert.equal('code' in cause && cause.code, code)
    return true
  })
}

/** @param swiftOf is asked once the suite's own Swift runs. */
export function testS3Answers(swiftOf: () => Swift): void {
  const urlOf = (prefix: string): string => blobUrlBelow(swiftOf().blobUrl, prefix)

  async function open(t: TestContext, blobUrl: string) {
    const blobs = await openBlobs(readConfig({ DATA_DIR: await newFolder(t), BLOB_URL: blobUrl }))
    t.after(() => blobs.close())
    return blobs
  }

  void test('S3: bytes that differ from those stored are never served', async (t) => {
    const blobs = await open(t, urlOf('damage'))
    const bytes = patterned(100_000)
    await (await receiveWhole(blobs, bytes)).keep('original/ab/abc')
    await blobs.put('rendition/ab/abc.lg', bytes, 'durable')
    const { port } = swiftOf()
    const client = new S3Client({
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      forcePathStyle: true,
    })
    t.after(() => client.destroy())
    const damaged = Buffer.from(bytes)
    damaged[50_000] = (damaged[50_000] ?? 0) ^ 1
    for (const key of ['original/ab/abc', 'rendition/ab/abc.lg']) {
      const found = await blobs.read(key)
      assertBytes(found, bytes)
      const Metadata = { sha256: sha256Of(bytes) }
      await client.send(
        new PutObjectCommand({ Bucket: 'waymark', Key: `damage/${key}`, Body: damaged, Metadata }),
      )
      await assertFault(blobs.read(key), 'EBADMSG')
      const opened = await blobs.open(key)
      assert.equal(opened?.bytes, bytes.length)
      await assertFault(buffer(opened.stream(0, bytes.length - 1)), 'EBADMSG')
    }
  })

  void test('S3: objects stored by others without a hash can still be read', async (t) => {
    const blobs = await open(t, urlOf('copied'))
    const { port } = swiftOf()
    const client = new S3Client({
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      forcePathStyle: true,
    })
    t.after(() => client.destroy())
    await client.send(
      new PutObjectCommand({ Bucket: 'waymark', Key: 'copied/a', Body: Buffer.from('bytes') }),
    )
    assert.equal(Buffer.from((await blobs.read('a')) ?? []).toString(), 'bytes')
  })

  void test('S3: one prefix does not see another’s objects', async (t) => {
    const [one, other] = [await open(t, urlOf('one')), await open(t, urlOf('one2'))]
    await one.put('a', patterned(10), 'durable')
    assert.equal(await other.has('a'), false)
    assert.deepEqual(await Array.fromAsync(other.list('')), [])
    assert.deepEqual(
      (await Array.fromAsync(one.list(''))).map(({ key }) => key),
      ['a'],
    )
  })

  void test('C5 C27: a HEAD of a photo is one HeadObject, a 304 is no call, and both give the same response as with files', async (t) => {
    const asked: string[] = []
    const note = (message: unknown): void => {
      const { request } = message as { readonly request: ClientRequest }
      if (request.host === '127.0.0.1' && request.getHeader('host') === `127.0.0.1:${swiftOf().port}`)
        asked.push(request.method)
    }
    subscribe('http.client.request.start', note)
    t.after(() => unsubscribe('http.client.request.start', note))
    const reported: unknown[] = []
    for (const isInNet of [true, false]) {
      const settings = isInNet ? { BLOB_URL: urlOf('heads') } : {}
      const waymark = await startWaymark({ environment: { ...settings, IMAGE_CACHE_MEGABYTES: '0' } })
      t.after(() => waymark.close())
      await waymark.addTrail(4711, 'Trail')
      const ana = await waymark.addPerson()
      const imageId = await waymark.upload(ana, 4711, await jpegPicture({ seed: 77 }))
      for (const size of ['lg', 'sm']) {
        const address = `/ImageHandler?id=${imageId}&t=${size}`
        asked.length = 0
        const head = await waymark.fetch(address, { method: 'HEAD' })
        assert.deepEqual(asked, isInNet ? ['HEAD'] : [], size)
        const { date: _, ratelimit: __, ...headers } = Object.fromEntries(head.headers)
        reported.push([head.status, headers])
        asked.length = 0
        const unchanged = { headers: { 'if-none-match': head.headers.get('etag') ?? '' } }
        for (const method of ['HEAD', 'GET'])
          assert.equal((await waymark.fetch(address, { method, ...unchanged })).status, 304)
        assert.deepEqual(asked, [], size)
      }
    }
    const [large, small, ...onFiles] = reported
    assert.deepEqual([large, small], onFiles)
  })

  void test('D2: an unusable bucket is reported in one sentence that names BLOB_URL', async (t) => {
    const other = swiftOf().blobUrl.replace('s3://waymark', 's3://nobodys')
    for (const [blobUrl, failureCode, sentence] of [
      [other, 'wrong-setting', /^BLOB_URL s3:\/\/nobodys cannot be used: http\S+ has no such bucket\.$/],
      [
        nowhere,
        'unreachable',
        /^BLOB_URL s3:\/\/photos cannot be used: http\S+ is not responding \(ECONNREFUSED\)\.$/,
      ],
    ] as const) {
      const blobs = await open(t, blobUrl)
      await assert.rejects(blobs.probe(), { failureCode, message: sentence })
    }
    // A key of another person's: the credentials are read at the first call.
    const kept = process.env['AWS_SECRET_ACCESS_KEY']
    process.env['AWS_SECRET_ACCESS_KEY'] = 'wrong'
    const blobs = await open(t, urlOf('denied'))
    const refused = { failureCode: 'wrong-setting', message: /refuses these credentials \(403\); they need/ }
    await assert.rejects(blobs.probe(), refused).finally(() => {
      process.env['AWS_SECRET_ACCESS_KEY'] = kept
    })
  })

  void test('D4: doctor writes to the bucket, and reports what is wrong with it', async (t) => {
    const check = async (blobUrl: string) => {
      const checks = await runChecks(readConfig({ DATA_DIR: await newFolder(t), BLOB_URL: blobUrl }))
      return checks.find(({ name }) => name === 'photo-folder')
    }
    const good = await check(urlOf('doctor'))
    assert.deepEqual([good?.level, good?.detail], ['good', 's3://waymark/doctor is readable and writable.'])
    assert.deepEqual(await Array.fromAsync((await open(t, urlOf('doctor'))).list('')), [])
    const bad = await check(nowhere)
    assert.equal(bad?.level, 'failure')
    assert.match(bad.detail, /^BLOB_URL s3:\/\/photos cannot be used: .+\.$/)
  })

  void test('D2 D4: no server starts if its bucket cannot be used', async (t) => {
    const settings = {
      ...swiftOf().environment,
      BLOB_URL: nowhere,
      PORT: '0',
      PUBLIC_URL: 'http://waymark.example',
    }
    const run = async (...args: readonly string[]) =>
      runWaymark(args, { dataDir: await newFolder(t), settings })
    const serve = await run('serve')
    assert.equal(serve.code, 2)
    assert.match(
      serve.stderr,
      /BLOB_URL s3:\/\/photos cannot be used: http:\/\/127\.0\.0\.1:1 is not responding/,
    )
  })
}
