// File types by their first bytes, and a property of every parser: any bytes give a result or a refusal.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { Refusal } from '../../src/errors.ts'
import { trimPixelData, readHeader, strip } from '../../src/imaging/containers.ts'
import { imageFormatOf } from '../../src/shared/formats/image-formats.ts'
import type { ContainerType } from '../../src/imaging/containers.ts'
import { createRandom, flipBytes, judge, makePicture } from '../helpers/containers-fixtures.ts'
import { walk } from '../helpers/imaging.ts'

const picture = makePicture(40, 30)
const files: Readonly<Record<ContainerType, Buffer>> = {
  jpeg: await picture.clone().withMetadata({ orientation: 6 }).jpeg({ progressive: true }).toBuffer(),
  png: await picture.clone().withMetadata({ orientation: 6 }).png().toBuffer(),
  gif: await picture.clone().gif().toBuffer(),
}
const types = ['jpeg', 'png', 'gif'] as const

void test('the new EXIF is one directory with one tag', () => {
  const stripped = strip(files.jpeg, walk(files.jpeg, 'jpeg'), 7)
  const [block] = walk(stripped, 'jpeg').metadata
  const header = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8]
  const tag = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 7, 0, 0]
  assert.deepEqual([...(block?.bytes ?? [])], [...header, 0, 1, ...tag, 0, 0, 0, 0])
})

void test('the type is detected by the first bytes', async () => {
  for (const type of types) assert.equal(imageFormatOf(files[type]), type)
  assert.equal(imageFormatOf(Buffer.from('GIF87a')), 'gif')
  assert.equal(imageFormatOf(Buffer.from('BM')), 'bmp')
  const others = {
    empty: Buffer.alloc(0),
    html: Buffer.from('<!DOCTYPE html><p>'),
    svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    pdf: Buffer.from('%PDF-1.7\n'),
    zip: Buffer.from('PK\x03\x04'),
    heic: Buffer.from('\0\0\0\x18ftypheic'),
    webp: await picture.clone().webp().toBuffer(),
    avif: await picture.clone().avif({ effort: 0 }).toBuffer(),
    tiff: await picture.clone().tiff().toBuffer(),
    'a later GIF': Buffer.from('GIF90a'),
    'a PNG that went through a text mode': Buffer.from('\x89PNG\n\x1a\n\0', 'latin1'),
    'half a JPEG marker': Buffer.from([0xff, 0xd8]),
  }
  for (const [name, bytes] of Object.entries(others)) assert.equal(imageFormatOf(bytes), undefined, name)
})

for (const type of types) {
  const file = files[type]

  void test(`${type}: header and container agree with the decoder`, async () => {
    const { width, height, channels, hasAlpha } = await sharp(file).metadata()
    assert.deepEqual(readHeader(file, type), { width, height, channels, bytesPerSample: 1 })
    const container = walk(file, type)
    assert.deepEqual(
      [container.width, container.height, container.channels, container.hasAlpha, container.frames],
      [width, height, channels, hasAlpha, 1],
    )
    assert.equal(container.lacksEnd, false)
    await trimPixelData(file, container)
  })

  void test(`${type}: bytes after the end marker are dropped`, () => {
    const tail = Buffer.concat([Buffer.from('PK\x03\x04<?php evil'), file])
    const container = walk(Buffer.concat([file, tail]), type)
    assert.equal(container.lacksEnd, false)
    assert.deepEqual(strip(Buffer.concat([file, tail]), container, 1), strip(file, walk(file, type), 1))
  })

  void test(`${type}: only EXIF with the orientation is written, and only for 2 to 8`, async () => {
    const container = walk(file, type)
    for (const orientation of [0, 1, 9, 6.5, Number.NaN]) {
      assert.deepEqual(strip(file, container, orientation), strip(file, container, 1))
    }
    for (let orientation = 2; orientation <= 8; orientation += 1) {
      const stripped = strip(file, container, orientation)
      const found = await sharp(stripped).metadata()
      if (type !== 'gif') assert.equal(found.orientation, orientation)
      const blocks = walk(stripped, type).metadata
      assert.deepEqual(
        blocks.map(({ kind, bytes }) => [kind, bytes.length]),
        type === 'gif' ? [] : [['exif', 26]],
      )
    }
  })

  void test(`${type}: a file truncated anywhere is refused, or lacks only its end`, () => {
    const minWhole = { jpeg: file.length - 2, png: file.length - 12, gif: file.length - 1 }[type]
    for (let length = 0; length < file.length; length += 1) {
      const cut = file.subarray(0, length)
      const verdict = judge(cut, type)
      assert.equal(verdict, length >= minWhole ? 'whole' : 'broken-image', `cut at ${length}`)
      if (verdict === 'whole') assert.equal(walk(cut, type).lacksEnd, true)
    }
    const whole = strip(file, walk(file, type), 6)
    const mended = file.subarray(0, file.length - 1)
    assert.deepEqual(strip(mended, walk(mended, type), 6), whole)
  })

  void test(`${type}: damaged bytes give a result or a refusal`, () => {
    const verdicts = new Set<string>()
    for (const damaged of flipBytes(file, 2000, 7)) {
      assertHeaderOrRefusal(damaged, type)
      verdicts.add(judge(damaged, type))
    }
    assert.ok(verdicts.has('broken-image'))
    // Every byte of a PNG is covered by a checksum.
    assert.equal(verdicts.has('whole'), type !== 'png')
  })

  void test(`${type}: noise behind the first bytes gives a result or a refusal`, () => {
    const random = createRandom(11)
    for (let time = 0; time < 1000; time += 1) {
      const start = file.subarray(0, Math.floor(random() * 60))
      const noise = Buffer.from(Array.from({ length: 200 }, () => Math.floor(random() * 256)))
      const bytes = Buffer.concat([start, noise])
      assertHeaderOrRefusal(bytes, type)
      judge(bytes, type)
    }
  })
}

function assertHeaderOrRefusal(bytes: Uint8Array, type: ContainerType): void {
  try {
    const { width, height } = readHeader(bytes, type)
    assert.ok(width > 0 && height > 0)
  } catch (error) {
    assert.ok(error instanceof Refusal && error.code === 'broken-image', String(error))
  }
}
