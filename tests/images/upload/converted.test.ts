// HEIC, AVIF and WebP on both surfaces (contract C55): v2 accepts them and stores them unchanged; the classic surface
// refuses uploads, but shows them like any other.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { originalKey, renditionKey } from '../../../src/images/storage/blob-keys.ts'
import type { Image } from '../../../src/shared/v2/schemas.ts'
import { imageSizes } from '../../../src/shared/image-sizes.ts'
import { buildPrivateExif } from '../../helpers/exif-fixtures.ts'
import { coded, makeHeif, tinyHeic } from '../../helpers/heif-fixtures.ts'
import { openPicture, pngPicture } from '../../helpers/pictures.ts'
import { assertProblem } from '../../helpers/problems.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { filePart, readAs, sendForm } from '../image-client.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson({ name: 'Ana' })
const rob = await waymark.addPerson({ role: 'reviewer' })

const size = { width: 96, height: 64 }
const place = { lat: 46.5212345, lon: -7.2598765 }
const png = await pngPicture(size)
const exif = buildPrivateExif({ position: place })
const asItem = { type: 'Exif', data: Buffer.concat([Buffer.alloc(4), exif]) }
const asChunk = Buffer.concat([Buffer.from('EXIF'), Buffer.alloc(4), exif, Buffer.alloc(exif.length % 2)])
asChunk.writeUInt32LE(exif.length, 4)

function describing(file: Uint8Array, brand: string): Buffer {
  return makeHeif([coded(file), asItem], { brand, references: [{ type: 'cdsc', from: 2, to: [1] }] })
}

async function webpWithExif(): Promise<Buffer> {
  const plain = await sharp(png)
    .withExif({ IFD0: { Make: 'Acme' } })
    .webp()
    .toBuffer()
  const file = Buffer.concat([plain.subarray(0, plain.indexOf('EXIF')), asChunk])
  file.writeUInt32LE(file.length - 8, 4)
  return file
}

const photos: Readonly<Record<'heic' | 'avif' | 'webp', Buffer>> = {
  heic: describing(tinyHeic, 'heic'),
  avif: describing(await sharp(png).avif({ effort: 0 }).toBuffer(), 'avif'),
  webp: await webpWithExif(),
}

const upload = (bytes: Uint8Array, type: string, headers = {}) =>
  sendForm(waymark, ana, 4711, { parts: [filePart(bytes, type)], headers })

const uploadClassic = (bytes: Uint8Array, type: string) =>
  waymark.fetch('/Trails/4711/Images', {
    method: 'POST',
    token: ana.token,
    headers: { 'content-type': type },
    body: bytes,
  })

const run = promisify(execFile)

/** exiftool's output for each file; undefined, after a message, if it is not installed. */
async function exiftool(t: TestContext, files: readonly Uint8Array[]) {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-exif-'))
  try {
    const names = files.map((_, index) => path.join(folder, String(index)))
    for (const [index, bytes] of files.entries()) await writeFile(names[index] ?? '', bytes)
    const { stdout } = await run('exiftool', ['-json', '-n', '-a', '-G', ...names])
    return JSON.parse(stdout) as Record<string, unknown>[]
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    t.diagnostic('exiftool is not installed: what it would find is not compared')
    return undefined
  } finally {
    await rm(folder, { recursive: true })
  }
}

const shownOf = async (imageId: number, view: string): Promise<Buffer> => {
  const answer = await waymark.fetch(`/ImageHandler?id=${imageId}&t=${view}`, { token: ana.token })
  assert.equal(answer.status, 200, view)
  const bytes = Buffer.from(await answer.arrayBuffer())
  const isWebp = view.endsWith('webp') && !view.startsWith('lg')
  assert.equal(answer.headers.get('content-type'), isWebp ? 'image/webp' : 'image/jpeg', view)
  return bytes
}

for (const [format, bytes] of Object.entries(photos)) {
  void test(`C55: v2 accepts a ${format}, both APIs show a JPEG of it, and nothing private is served`, async (t) => {
    const image = await readAs<Image>(await upload(bytes, `image/${format}`), 201)
    const { mimeType, width, height, lat, lon, sha256 } = image
    assert.deepEqual([mimeType, width, height], ['image/jpeg', 96, 64])
    assert.deepEqual({ lat, lon }, place)
    assert.equal(sha256, createHash('sha256').update(bytes).digest('hex'))
    assert.equal(image.bytes, bytes.length)
    const views = imageSizes.flatMap((one) => [one, `${one}&f=webp`])
    const shown = await Promise.all(views.map((view) => shownOf(image.imageID, view)))
    for (const [index, view] of views.entries()) {
      const { width: side, exif: kept, xmp } = await openPicture(shown[index] ?? new Uint8Array()).metadata()
      assert.ok(side > 0 && kept === undefined && xmp === undefined, view)
    }
    const [ofUpload = {}, ...ofShown] = (await exiftool(t, [bytes, ...shown])) ?? []
    if (ofShown.length > 0) {
      const degrees = (axis: string): unknown => ofUpload[`Composite:GPS${axis}`]
      assert.deepEqual(
        ['Latitude', 'Longitude'].map((axis) => Number(degrees(axis)).toFixed(6)),
        [place.lat, place.lon].map((value) => value.toFixed(6)),
      )
    }
    for (const [index, facts] of ofShown.entries())
      for (const group of Object.keys(facts).map((name) => name.split(':', 1)[0] ?? ''))
        assert.match(group, /^(?:SourceFile|ExifTool|File|Composite|JFIF|RIFF)$/, views[index] ?? '')
    const listed = await waymark.fetch(`/Trails/4711/Images/${image.imageID}`, { token: ana.token })
    assert.equal((await readAs<{ mimeType: string }>(listed)).mimeType, 'image/jpeg')
    const [original] = await Array.fromAsync(readBlob(originalKey(image.sha256)))
    assert.deepEqual(original, bytes, 'the original is kept as it came')
  })

  void test(`C15, C55: the classic API refuses a ${format}, even one that v2 has accepted from the same person`, async () => {
    for (const type of ['image/jpeg', 'application/octet-stream']) {
      const problem = await assertProblem(await uploadClassic(bytes, type), 'unsupported-image-type')
      assert.match(problem.detail, /JPEG, GIF, PNG or BMP image\.$/)
    }
    await assertProblem(await uploadClassic(bytes, `image/${format}`), 'unsupported-image-type')
  })
}

async function* readBlob(key: string): AsyncGenerator<Buffer> {
  const blob = await waymark.installation.blobs.open(key)
  assert.ok(blob)
  yield Buffer.concat(await Array.fromAsync(blob.stream(0, blob.bytes - 1)))
}

void test('C55: a lost size lg is regenerated identically from the original', async () => {
  const bytes = Buffer.concat([photos.avif, Buffer.from('again')])
  const image = await readAs<Image>(await upload(bytes, 'image/avif'), 201)
  const before = await shownOf(image.imageID, 'lg')
  await waymark.installation.blobs.remove(renditionKey(image.sha256, 'lg'))
  assert.deepEqual(await shownOf(image.imageID, 'lg'), before)
})

void test('C55: a translucent photo is shown as a PNG, also to the public', async () => {
  const bytes = await sharp(png).ensureAlpha(0.5).webp().toBuffer()
  const image = await readAs<Image>(await upload(bytes, 'image/webp'), 201)
  assert.equal(image.mimeType, 'image/png')
  await waymark.review(rob, image.imageID, 'approve')
  const answer = await waymark.fetch(`/ImageHandler?id=${image.imageID}&t=lg`)
  assert.equal(answer.headers.get('content-type'), 'image/png')
  assert.equal((await sharp(Buffer.from(await answer.arrayBuffer())).metadata()).hasAlpha, true)
})

void test('C18, C55: sending the same bytes again, or the same key again, returns the same image', async () => {
  const bytes = Buffer.concat([photos.webp, Buffer.from('again')])
  const first = await readAs<Image>(await upload(bytes, ''), 201)
  assert.equal((await readAs<Image>(await upload(bytes, 'image/webp'), 200)).imageID, first.imageID)
  const key = { 'idempotency-key': 'webp-once' }
  const keyed = await readAs<Image>(await upload(photos.webp, 'image/webp', key), 201)
  assert.equal(
    (await readAs<Image>(await upload(photos.webp, 'image/webp', key), 201)).imageID,
    keyed.imageID,
  )
})

void test('C15, C55: other types are refused, and the refusal lists the accepted ones', async () => {
  const type = await assertProblem(await upload(png, 'image/tiff'), 'unsupported-image-type')
  assert.match(type.detail, /image\/heic, image\/avif or image\/webp/)
  const bytes = await assertProblem(await upload(Buffer.from('II*\0 no more'), ''), 'unsupported-image-type')
  assert.match(bytes.detail, /BMP, HEIC, AVIF or WebP image/)
  await assertProblem(await upload(photos.heic.subarray(0, 500), 'image/heic'), 'broken-image')
  for (const alias of ['image/heif', 'image/heic-sequence', 'IMAGE/HEIC'])
    assert.ok((await upload(photos.heic, alias, { 'idempotency-key': `as-${alias}` })).ok, alias)
})
