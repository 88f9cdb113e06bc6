// The public bmpsuite in ../shared/corpus/bmp, if available: responses, and pixels compared with references.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import sharp from 'sharp'
import { Refusal } from '../../../src/errors.ts'
import { clearBmp } from '../../../src/imaging/formats/bmp/bmp-clear.ts'
import { readBmpHeader } from '../../../src/imaging/formats/bmp/bmp-header.ts'
import { decodeBmp } from '../../../src/imaging/formats/bmp/bmp.ts'
import type { BmpPixels } from '../../../src/imaging/formats/bmp/bmp.ts'
import { corpusUrl } from '../../helpers/corpus.ts'

interface Expected {
  readonly status: readonly number[]
  readonly width?: number
  readonly height?: number
  readonly reference?: string
  readonly maxDifference?: number
}

const corpus = corpusUrl('bmp/')
const expectedFile = new URL('expected.json', corpus)

function readCorpus(name: string): Uint8Array {
  return readFileSync(new URL(name, corpus))
}

/** Steps of an upload: header, limits (contract C15), pixels, and the served file. */
function answer(bytes: Uint8Array): { status: number; pixels?: BmpPixels; cleared?: Uint8Array } {
  try {
    const header = readBmpHeader(bytes)
    const isTooLarge = Math.max(header.width, header.height) > 16_384 || header.width * header.height > 1e8
    if (isTooLarge) return { status: 422 }
    return { status: 201, pixels: decodeBmp(bytes, header), cleared: clearBmp(bytes, header) }
  } catch (error) {
    assert.ok(error instanceof Refusal && error.code === 'broken-image', String(error))
    return { status: 422 }
  }
}

function withoutPalette(bytes: Uint8Array): Uint8Array {
  const { start, count, entryBytes } = readBmpHeader(bytes).palette
  return bytes.slice().fill(0, start, start + count * entryBytes)
}

async function findDifference(pixels: BmpPixels, reference: string): Promise<number> {
  const { data, info } = await sharp(readCorpus(reference))
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  assert.deepEqual([pixels.width, pixels.height, pixels.channels], [info.width, info.height, info.channels])
  return data.reduce((max, value, at) => Math.max(max, Math.abs(value - (pixels.data[at] ?? NaN))), 0)
}

if (!existsSync(expectedFile)) {
  void test('corpus bmp', { skip: `no corpus at ${expectedFile.pathname}` })
} else {
  const files = Object.entries(JSON.parse(readFileSync(expectedFile, 'utf8')) as Record<string, Expected>)
  assert.ok(files.length >= 47)
  for (const [name, expected] of files) {
    void test(`corpus bmp/${name}`, async () => {
      const bytes = readCorpus(name)
      const { status, pixels, cleared } = answer(bytes)
      assert.ok(expected.status.includes(status), `${status} is none of ${expected.status.join(', ')}`)
      if (pixels === undefined || cleared === undefined) return
      assert.deepEqual(decodeBmp(cleared, readBmpHeader(cleared)), pixels)
      if (expected.reference === undefined) return
      assert.deepEqual([pixels.width, pixels.height], [expected.width, expected.height])
      const difference = await findDifference(pixels, expected.reference)
      assert.ok(difference <= (expected.maxDifference ?? 0), `a channel is off by ${difference}`)
      const same = Buffer.compare(withoutPalette(cleared), withoutPalette(bytes)) === 0
      assert.ok(same, 'a clean file is served as it came, but for colours that no pixel has')
    })

    if (name.startsWith('g/')) {
      void test(`corpus bmp/${name} truncated anywhere is refused`, () => {
        const bytes = readCorpus(name)
        for (let length = 0; length < bytes.length; length += 1) {
          assert.equal(answer(bytes.subarray(0, length)).status, 422, `cut after ${length} bytes`)
        }
      })
    }
  }
}
