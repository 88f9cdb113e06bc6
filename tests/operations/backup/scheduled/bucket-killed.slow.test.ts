// Scheduled backups to a bucket, killed during a part's upload: the state of the store, and its cleanup; and a part that
// is altered in transit.
import assert from 'node:assert/strict'
import { ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3'
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import sharp from 'sharp'
import type { S3Place } from '../../../../src/settings/blob-settings.ts'
import { readConfig } from '../../../../src/settings/config.ts'
import { createS3Files } from '../../../../src/storage/s3-files.ts'
import { done, startServer } from '../../../cli/run-waymark.ts'
import { newFolder } from '../../../helpers/folders.ts'
import { startHttpProxy } from '../../../helpers/http-proxy.ts'
import { blobUrlBelow, blobUrlThrough, startSwift, whyNoSwift } from '../../../helpers/swift.ts'
import { backupProcessesOf, fill, makeDue, successOf, untilFailed, untilMade } from './servers.ts'

/** About 2 MB each, so that a part of 8 MB contains at most four. */
const paint = (): Promise<Buffer> =>
  sharp(randomBytes(1_100 * 900 * 3), { raw: { width: 1_100, height: 900, channels: 3 } })
    .jpeg({ quality: 95 })
    .toBuffer()
const photos = 12

async function begin(t: TestContext) {
  const dataDir = path.join(await newFolder(t), 'data')
  const swift = await startSwift()
  t.after(() => swift.end())
  Object.assign(process.env, swift.environment) // for this test's own clients
  const to = blobUrlBelow(swift.blobUrl, 'backups')
  const { backupPlace } = readConfig({ BACKUP_TO: to })
  assert.ok(backupPlace?.store === 's3')
  const place: S3Place = backupPlace
  const files = createS3Files(place)
  const client = new S3Client({
    endpoint: place.endpoint ?? '',
    region: place.region ?? '',
    forcePathStyle: true,
  })
  t.after(() => {
    files.close()
    client.destroy()
  })
  const proxy = await startHttpProxy(t, `http://127.0.0.1:${swift.port}`)
  await fill(dataDir, {}, photos, paint)
  return {
    dataDir,
    files,
    proxy,
    settings: {
      ...swift.environment,
      BACKUP_SCHEDULE: '15 3 * * *',
      BACKUP_TO: blobUrlThrough(to, Number(new URL(proxy.url).port)),
    },
    uploads: async (): Promise<string[]> => {
      const input = { Bucket: place.bucket, Prefix: `${place.prefix}/` }
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand(input))
      return Uploads.map(({ Key = '' }) => path.basename(Key))
    },
    whole: async (): Promise<string[]> => (await files.list()).map(({ name }) => name),
  }
}

const isPart = (number: number, url = ''): boolean =>
  url.includes('uploadId=') && new RegExp(`[?&]partNumber=${number}(&|$)`).test(url)

void test(
  'killed during a multipart upload: nothing looks complete, and the next backup removes what was left',
  { skip: whyNoSwift() },
  async (t) => {
    const { dataDir, files, proxy, settings, uploads, whole } = await begin(t)
    const foreign = await files.begin('holiday.zip', 0) // another program's upload, in progress for days
    for (const victim of ['both', 'process', 'server'] as const) {
      await makeDue(dataDir, {})
      const { promise: onItsWay, resolve } = Promise.withResolvers<void>()
      proxy.meddle({
        onRequest: ({ method, url }) => {
          if (method === 'PUT' && isPart(2, url)) resolve()
          return undefined
        },
      })
      const server = await startServer(t, { dataDir, settings })
      await onItsWay
      const pids = await backupProcessesOf(server.pid)
      assert.equal(pids.length, 1)
      // Without its server, the process would clean up.
      if (victim !== 'server') for (const pid of pids) process.kill(pid, 'SIGKILL')
      if (victim === 'process') assert.equal(await server.stop(), 0)
      else await server.kill()
      proxy.meddle({})
      assert.deepEqual(await whole(), [], victim)
      const left = (await uploads()).filter((name) => name !== 'holiday.zip')
      if (victim !== 'server') assert.match(left.join(' '), /^waymark-[0-9a-f]{8}-\d{8}T\d{6}Z\.zip$/)
    }
    await makeDue(dataDir, {})
    const server = await startServer(t, { dataDir, settings })
    await untilMade(server.url)
    assert.equal(await server.stop(), 0)
    assert.deepEqual(await uploads(), ['holiday.zip'], "its own are gone, another's is not")
    await foreign.abort()
    assert.equal((await whole()).length, 1)
    const drilled = await done(['drill', 'latest'], { dataDir, settings })
    assert.match(JSON.stringify(drilled), new RegExp(`"ok":true.*"images":${photos}`))
  },
)

void test(
  'a part altered in transit is refused by the store, and the backup does not count',
  { skip: whyNoSwift() },
  async (t) => {
    const { dataDir, proxy, settings, uploads, whole } = await begin(t)
    await makeDue(dataDir, {})
    let altered = 0
    proxy.meddle({
      onBody: ({ url }, piece) => {
        if (!isPart(2, url)) return piece
        altered += 1
        const other = Buffer.from(piece)
        other[100] = (other[100] ?? 0) ^ 1
        return other
      },
    })
    const server = await startServer(t, { dataDir, settings })
    await untilFailed(server.url)
    assert.ok(altered > 0)
    assert.equal(await successOf(server.url), 0)
    assert.deepEqual([await whole(), await uploads()], [[], []])
    assert.equal(await server.stop(), 0)
  },
)
