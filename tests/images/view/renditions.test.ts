// The five sizes of images of every shape and format, and their served formats (contract A5, C25, C26).
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, test } from 'node:test'
import sharp from 'sharp'
import { makeBmp, packRows } from '../../helpers/bmp-builder.ts'
import { gifFrame, makeGif } from '../../helpers/containers-fixtures.ts'
import { writePrivateMetadata } from '../../helpers/exif-fixtures.ts'
import { jpegPicture, openPicture, pngPicture, transparentPng } from '../../helpers/pictures.ts'
import { assertProblem } from '../../helpers/problems.ts'
import { storeAsBefore } from '../../helpers/older-store.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { send } from '../../helpers/wire.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()
const upload = (bytes: Uint8Array) => waymark.upload(ana, 4711, bytes)

const view = (imageId: number, query: string) =>
  send(waymark.url, { path: `/ImageHandler?id=${imageId}${query}` })

interface Seen {
  readonly type: string
  readonly size: string
  readonly bytes: Buffer
}

async function see(imageId: number, query: string): Promise<Seen> {
  const answer = await view(imageId, query)
  const bytes = Buffer.from(await answer.arrayBuffer())
  assert.equal(answer.status, 200, query)
  const type = answer.headers.get('content-type') ?? ''
  if (type === 'image/bmp') return { type, size: `${bytes.readInt32LE(18)}x${bytes.readInt32LE(22)}`, bytes }
  const { width, height, format } = await openPicture(bytes).metadata()
  assert.equal(`image/${format}`, type, 'the type says what the bytes are')
  return { type, size: `${width}x${height}`, bytes }
}

const sizes = ['sm', '150', 'md', '640', 'lg'] as const

/**
 * A source, and the dimensions of its five sizes: sm fits 100, 150 is a square, md fits 300, 640 fits 640, lg is
 * unchanged.
 */
const shapes: readonly (readonly [width: number, height: number, seen: readonly string[]])[] = [
  [1200, 800, ['100x67', '150x150', '300x200', '640x427', '1200x800']],
  [800, 1200, ['67x100', '150x150', '200x300', '427x640', '800x1200']],
  [640, 640, ['100x100', '150x150', '300x300', '640x640', '640x640']],
  [301, 99, ['100x33', '150x150', '300x99', '301x99', '301x99']],
  [150, 100, ['100x67', '150x150', '150x100', '150x100', '150x100']],
  [10, 5, ['10x5', '150x150', '10x5', '10x5', '10x5']],
  [1, 1, ['1x1', '150x150', '1x1', '1x1', '1x1']],
  [3000, 100, ['100x3', '150x150', '300x10', '640x21', '3000x100']],
  [100, 3000, ['3x100', '150x150', '10x300', '21x640', '100x3000']],
  [16_384, 1, ['100x1', '150x150', '300x1', '640x1', '16384x1']],
]

void test('A5 C25: five sizes for every shape, never enlarged except the square', async () => {
  for (const [width, height, expected] of shapes) {
    const imageId = await upload(await jpegPicture({ width, height }))
    const seen: string[] = []
    for (const t of sizes) {
      const { type, size } = await see(imageId, `&t=${t}`)
      assert.equal(type, 'image/jpeg')
      seen.push(size)
      if (t === 'lg') continue
      assert.deepEqual(await see(imageId, `&t=${t}&f=webp`).then((webp) => [webp.type, webp.size]), [
        'image/webp',
        size,
      ])
    }
    assert.deepEqual(seen, expected, `${width}x${height}`)
  }
})

/** Mean red of a region. */
async function redness(
  bytes: Buffer,
  region: { left: number; top: number; width: number; height: number },
): Promise<number> {
  const { channels } = await sharp(await sharp(bytes).extract(region).toBuffer()).stats()
  return channels[0]?.mean ?? Number.NaN
}

void test('C25: the square is cut from the centre', async () => {
  // White thirds at both ends, a black square between them.
  const picture = await sharp({ create: { width: 300, height: 100, channels: 3, background: '#fff' } })
    .composite([
      { input: { create: { width: 100, height: 100, channels: 3, background: '#000' } }, left: 100, top: 0 },
    ])
    .png()
    .toBuffer()
  const { bytes } = await see(await upload(picture), '&t=150')
  assert.ok((await redness(bytes, { left: 5, top: 0, width: 140, height: 150 })) < 5)
})

void test('C25: small sizes are upright whatever the EXIF orientation; lg keeps its pixels and orientation', async () => {
  const turned = writePrivateMetadata(await jpegPicture({ width: 400, height: 200 }), { orientation: 6 })
  const imageId = await upload(turned)
  const seen = await Promise.all(sizes.map(async (t) => (await see(imageId, `&t=${t}`)).size))
  assert.deepEqual(seen, ['50x100', '150x150', '150x300', '200x400', '400x200'])
  // The bright corner is stored top left and shown top right.
  const md = (await see(imageId, '&t=md')).bytes
  assert.ok((await redness(md, { left: 120, top: 5, width: 25, height: 50 })) > 230)
  assert.ok((await redness(md, { left: 5, top: 5, width: 25, height: 50 })) < 200)
  assert.equal((await sharp((await see(imageId, '')).bytes).metadata()).orientation, 6)
})

void test('C25: lg has exactly the pixels of the upload', async () => {
  for (const bytes of [
    await jpegPicture({ width: 90, height: 60 }),
    await pngPicture({ width: 90, height: 60 }),
  ]) {
    const { bytes: served } = await see(await upload(bytes), '&t=lg')
    assert.deepEqual(await sharp(served).raw().toBuffer(), await sharp(bytes).raw().toBuffer())
  }
})

void test('C26: a transparent image is shown as PNG, or as WebP if requested', async () => {
  const imageId = await upload(await transparentPng({ width: 700, height: 350 }))
  const expected = { sm: '100x50', 150: '150x150', md: '300x150', 640: '640x320', lg: '700x350' }
  for (const [t, size] of Object.entries(expected)) {
    const seen = await see(imageId, `&t=${t}`)
    assert.deepEqual([seen.type, seen.size], ['image/png', size], t)
    assert.equal((await sharp(seen.bytes).stats()).isOpaque, false, t)
    if (t !== 'lg') assert.equal((await see(imageId, `&t=${t}&f=webp`)).type, 'image/webp')
  }
  const opaque = await upload(await pngPicture({ width: 20, height: 10 }))
  assert.deepEqual(
    [(await see(opaque, '&t=sm')).type, (await see(opaque, '')).type],
    ['image/jpeg', 'image/png'],
  )
})

void test('C26: an animated GIF is animated only in lg; the other sizes show its first frame', async () => {
  const frames = [
    gifFrame({ delay: 10 }),
    gifFrame({ delay: 10, left: 2, width: 2 }),
    gifFrame({ delay: 10 }),
  ]
  const imageId = await upload(makeGif(frames))
  const lg = await see(imageId, '&t=lg')
  assert.deepEqual([lg.type, lg.size], ['image/gif', '4x4'])
  assert.equal((await sharp(lg.bytes).metadata()).pages, 3)
  for (const t of ['sm', '150', 'md', '640']) {
    const seen = await see(imageId, `&t=${t}`)
    assert.deepEqual([seen.type, seen.size], ['image/jpeg', t === '150' ? '150x150' : '4x4'], t)
    assert.equal((await sharp(seen.bytes).metadata()).pages ?? 1, 1)
  }
})

void test('C26: lg of a BMP is the BMP itself', async () => {
  const shape = { width: 200, height: 100, bits: 24 }
  const pixels = packRows(shape, (x, y) => x + y * 256)
  const bmp = makeBmp({ ...shape, headerBytes: 40, pixels })
  const imageId = await upload(bmp)
  const lg = await see(imageId, '&t=lg')
  assert.deepEqual([lg.type, lg.size], ['image/bmp', '200x100'])
  assert.deepEqual(lg.bytes, Buffer.from(bmp))
  const md = await see(imageId, '&t=md')
  assert.deepEqual([md.type, md.size], ['image/jpeg', '200x100'])
})

void test('C24 C26: which values of t and f are accepted', async () => {
  const imageId = await upload(await jpegPicture({ width: 30, height: 20 }))
  const lg = await see(imageId, '')
  const taken: Readonly<Record<string, string>> = {
    '&t=lg': 'image/jpeg',
    '&t=lg&f=webp': 'image/jpeg',
    '&f=webp': 'image/jpeg',
    '&t=sm&f=webp': 'image/webp',
    '&f=webp&t=sm&x=1': 'image/webp',
  }
  for (const [query, type] of Object.entries(taken))
    assert.equal((await see(imageId, query)).type, type, query)
  assert.deepEqual((await see(imageId, '&t=lg')).bytes, lg.bytes)
  const unknownSizes = [
    't=',
    't',
    't=xl',
    't=SM',
    't=sm%20',
    't=100',
    't=0150',
    't=sm&t=lg',
    't=__proto__',
    't=%00',
  ]
  const unknownFormats = ['f=', 'f', 'f=png', 'f=jpeg', 'f=avif', 'f=WEBP', 'f=webp&f=webp', 'f=constructor']
  for (const query of [...unknownSizes, ...unknownFormats]) {
    const { detail } = await assertProblem(await view(imageId, `&${query}`), 'invalid-query', query)
    assert.match(detail ?? '', query.startsWith('t') ? /parameter t must be/ : /parameter f must be webp/)
  }
})

void test('C25: a rendition that is lost or damaged on disk is regenerated, never served damaged', async () => {
  const imageId = await upload(await jpegPicture({ width: 90, height: 60, seed: 9 }))
  const before = await Promise.all(sizes.map((t) => see(imageId, `&t=${t}`)))
  const { db } = waymark.installation.database
  const { sha256 } = await db
    .selectFrom('image')
    .select('sha256')
    .where('id', '=', imageId)
    .executeTakeFirstOrThrow()
  await storeAsBefore(waymark.installation, sha256) // otherwise size lg is part of the original, and is lost with it
  const entries = await readdir(waymark.dataDir, { recursive: true, withFileTypes: true })
  const files = entries.filter(({ name }) => name.startsWith(`${sha256}.`))
  assert.ok(files.length >= 9)
  for (const [index, { parentPath, name }] of files.entries()) {
    const file = path.join(parentPath, name)
    if (index % 2 === 0) await rm(file)
    else await writeFile(file, 'damaged')
  }
  const again = await Promise.all(sizes.map((t) => see(imageId, `&t=${t}`)))
  const digest = ({ bytes }: Seen) => createHash('sha256').update(bytes).digest('hex')
  assert.deepEqual(again.map(digest), before.map(digest))
})
