// P3: durable uploads of 4 MB, compared with nginx storing the same without hash or fsync; and with all renditions,
// compared with Directus.
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { standardLimits } from '../../src/imaging/image-limits.ts'
import { inspect } from '../../src/imaging/inspect.ts'
import type { Absent, BenchPath, Case, Contender, Ground } from '../parts/bench.ts'
import { nginxName, startNginx } from '../parts/nginx.ts'
import { oursName } from '../parts/ours.ts'
import { peerName } from '../parts/peer.ts'
import { cameraSize, paintPhotos } from '../parts/photos.ts'
import { memoryOfSlowUploads } from '../parts/slow-uploads.ts'
import { createChance } from '../parts/statistics.ts'
import { mark, startUploader, startUploadServer, type UploadTarget } from '../parts/uploads.ts'

const mebibyte = 1024 * 1024
const bodyBytes = 4 * mebibyte
const lanes = 4
const slowUploads = 50
const sliceMs = 3_000

/** Incompressible bytes, like those of an encoded photo. */
function noise(bytes: number, seed: number): Buffer {
  const chance = createChance(seed)
  const words = new Uint32Array(bytes / 4)
  for (let at = 0; at < words.length; at += 1) words[at] = 2 ** 32 * chance()
  const body = Buffer.from(words.buffer)
  body.write(mark, bytes / 2, 'latin1')
  return body
}

/** Adds a comment behind the first marker (ITU-T T.81, B.2.4.5) that differs in each copy. */
function withMark(jpeg: Uint8Array): Buffer {
  const comment = Buffer.from([0xff, 0xfe, 0, 2 + mark.length])
  return Buffer.concat([jpeg.subarray(0, 2), comment, Buffer.from(mark), jpeg.subarray(2)])
}

interface Started {
  readonly contender: Contender | Absent
  close(): Promise<void>
}

type Uploader = ReturnType<typeof startUploader>

/** nginx writes each body to a file beside the store and renames it. */
async function startPutting(ground: Ground, uploader: Uploader, body: Buffer): Promise<Started> {
  const folder = path.join(ground.folder, nginxName)
  const nginx = await startNginx({ folder, lines: ['location /put/ { dav_methods PUT; }'] })
  if ('absent' in nginx) return { contender: nginx, close: () => Promise.resolve() }
  const stored = path.join(nginx.root, 'put')
  await mkdir(stored, { recursive: true })
  const target: UploadTarget = {
    name: nginxName,
    url: `http://127.0.0.1:${nginx.port}/put`,
    method: 'PUT',
    isNamed: true,
    headers: [{}],
    status: 201,
    lanes,
    pids: [nginx.pid],
    death: nginx.death,
    body,
    folder: stored,
    store: stored,
    storedBytes: body.length,
    isNamedByHash: false,
  }
  return { contender: await uploader.contender(target), close: nginx.close }
}

async function startDirectusUploads(ground: Ground, uploader: Uploader, photo: Buffer): Promise<Started> {
  const absent = (why: string): Started => ({
    contender: { name: peerName, absent: why },
    close: () => Promise.resolve(),
  })
  if (ground.isQuick) return absent('this is only a try.')
  const { startDirectus } = await import('../peers/directus.ts')
  const peer = await startDirectus(ground, [])
  if ('absent' in peer) return absent(peer.absent)
  const { port, pids, death, upload, stop } = peer
  const folder = path.join(ground.folder, peerName, 'uploads')
  const contender = await uploader.contender({
    name: peerName,
    url: `http://127.0.0.1:${port}${upload.path}`,
    method: 'POST',
    isNamed: false,
    headers: [upload.headers],
    status: 200,
    lanes,
    pids,
    death,
    body: upload.body(photo),
    folder,
    store: folder,
    storedBytes: photo.length,
    isNamedByHash: false,
  })
  return { contender, close: stop }
}

export const uploadPath: BenchPath = {
  name: 'upload',
  about:
    'uploads of 4 MB, hashed and durable, against nginx doing neither; with all renditions, against Directus',
  prepare: async (ground) => {
    const uploader = startUploader(ground)
    const body = noise(bodyBytes, 3)
    const photo = withMark((await paintPhotos(1, cameraSize, 90))[0] ?? Buffer.alloc(0))
    const recording = await startUploadServer(path.join(ground.folder, 'recording'), 'recording')
    const whole = await startUploadServer(path.join(ground.folder, 'whole'), 'whole')
    const bytesOnly: Contender = await uploader.contender({
      ...recording.target,
      body,
      storedBytes: body.length,
      lanes,
    })
    const putting = await startPutting(ground, uploader, body)
    const everything = await uploader.contender({
      ...whole.target,
      body: photo,
      // A photo is stored as size lg and the remainder of the original.
      folder: path.join(whole.target.store, 'rendition'),
      storedBytes: (await inspect(photo, standardLimits)).large.length,
      isNamedByHash: false,
      lanes,
    })
    const directus = await startDirectusUploads(ground, uploader, photo)

    const slow = Array.from({ length: ground.isQuick ? 2 : slowUploads }, (_, index) =>
      noise(ground.isQuick ? mebibyte / 4 : bodyBytes, 100 + index),
    )
    const memory = await memoryOfSlowUploads(recording, slow)
    ground.note(
      `${slow.length} slow uploads at once: ${(memory / mebibyte).toFixed(2)} MB of memory each; the goal is 1 MB at most.`,
    )
    ground.note(
      `The first case has a maker of renditions that only records; the photo of the second has ${photo.length} bytes. ${lanes} connections.`,
    )
    const disk = { folder: ground.folder, bytes: bodyBytes }
    const cases: Case[] = [
      {
        name: '4 MB, all but the renditions',
        contenders: [bytesOnly, putting.contender],
        goals: [
          { what: 'upload', of: oursName, to: nginxName, figure: 'cpu', atMost: 3, stretch: 2.5 },
          { what: 'upload', of: oursName, to: nginxName, figure: 'rate' },
        ],
        sliceMs,
        disk,
      },
      {
        name: 'photo of 12 MP with all renditions',
        contenders: [everything, directus.contender],
        goals: [
          { what: 'upload with renditions', of: oursName, to: peerName, figure: 'rate', atLeast: 2 },
          { what: 'upload with renditions', of: oursName, to: peerName, figure: 'cpu' },
        ],
        sliceMs: 2 * sliceMs,
        disk,
      },
    ]
    return {
      cases,
      close: async () => {
        await Promise.all([putting.close(), directus.close(), recording.close(), whole.close()])
        await uploader.close()
      },
    }
  },
}
