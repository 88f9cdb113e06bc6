// JPEG, PNG and GIF files of ../shared/corpus, if available: responses, pixels, and no private data.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import sharp from 'sharp'
import { Refusal } from '../../../src/errors.ts'
import { trimPixelData, readHeader, strip } from '../../../src/imaging/containers.ts'
import { imageFormatOf } from '../../../src/shared/formats/image-formats.ts'
import type { Container } from '../../../src/imaging/containers.ts'
import { orientationFrom } from '../../../src/shared/formats/gps.ts'
import { flipBytes, judge } from '../../helpers/containers-fixtures.ts'
import { walk } from '../../helpers/imaging.ts'
import { corpusUrl } from '../../helpers/corpus.ts'

interface Expected {
  readonly status: readonly number[]
  readonly width?: number
  readonly height?: number
  readonly storedWidth?: number
  readonly storedHeight?: number
  readonly frames?: number
  readonly transparency?: boolean
  readonly orientation?: number
}

interface Walked {
  readonly status: number
  readonly container?: Container
}

const corpus = corpusUrl()
const folders = ['pngsuite', 'gif', 'orientation', 'gps', 'jpeg-bad'] as const
/** The parser accepts these; the strict decoder or the side limit refuses them later. */
const leftToTheDecoder: ReadonlySet<string> = new Set(['truncated-10000.jpg', 'lossless-sof3.jpg'])
const leftToTheLimits: ReadonlySet<string> = new Set(['max-width.gif'])
/** Frames drawn at once count as one in the .conf, but not in the file. */
const framesInFile: Readonly<Record<string, number>> = {
  'high-color.gif': 4,
  'dispose-restore-previous.gif': 5,
}

function readCorpus(folder: string, name: string): Buffer {
  return readFileSync(new URL(`${folder}/${name}`, corpus))
}

function walkUpload(bytes: Uint8Array): Walked {
  const type = imageFormatOf(bytes)
  if (type === undefined || type === 'bmp') return { status: 415 }
  try {
    readHeader(bytes, type)
    return { status: 201, container: walk(bytes, type) }
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error))
    return { status: 422 }
  }
}

/** As strict as for an upload: a repaired JPEG must not even cause a warning. */
async function decode(bytes: Uint8Array, { type, lacksEnd }: Container): Promise<Buffer> {
  const failOn = type === 'jpeg' && lacksEnd ? 'warning' : 'error'
  return sharp(bytes, { pages: -1, failOn }).raw({ depth: 'ushort' }).toBuffer()
}

async function assertSamePicture(bytes: Uint8Array, container: Container, expected: Expected): Promise<void> {
  const large = strip(bytes, await trimPixelData(bytes, container), 1)
  const samples = await decode(large, container)
  const failOn = container.lacksEnd ? 'none' : 'error'
  const original = await sharp(bytes, { pages: -1, failOn }).raw({ depth: 'ushort' }).toBuffer()
  assert.ok(samples.equals(original), 'the pixels differ')
  const found = await sharp(large, { pages: -1 }).metadata()
  assert.deepEqual(
    [container.width, container.height, container.channels, container.hasAlpha, container.frames],
    [found.width, found.pageHeight ?? found.height, found.channels, found.hasAlpha, found.pages ?? 1],
  )
  assert.equal(container.bytesPerSample, found.depth === 'ushort' ? 2 : 1)
  const { width = expected.storedWidth, height = expected.storedHeight } = expected
  if (width !== undefined) assert.deepEqual([container.width, container.height], [width, height])
  if (expected.transparency !== undefined) assert.equal(container.hasAlpha, expected.transparency)
}

for (const folder of folders) {
  const expectedFile = new URL(`${folder}/expected.json`, corpus)
  if (!existsSync(expectedFile)) {
    void test(`corpus ${folder}`, (t) => {
      t.diagnostic(`no corpus at ${expectedFile.pathname}`)
      t.skip()
    })
    continue
  }
  const files = JSON.parse(readFileSync(expectedFile, 'utf8')) as Record<string, Expected>
  for (const [name, expected] of Object.entries(files)) {
    void test(`corpus ${folder}/${name}`, async () => {
      const bytes = readCorpus(folder, name)
      const { status, container } = walkUpload(bytes)
      if (leftToTheLimits.has(name) && container !== undefined) {
        assert.ok(container.width > 16_384)
        return
      }
      if (leftToTheDecoder.has(name) && container !== undefined) {
        await assert.rejects(decode(strip(bytes, container, 1), container))
        return
      }
      assert.ok(expected.status.includes(status), `${status}`)
      if (container === undefined) return
      await assertSamePicture(bytes, container, expected)
      const frames = framesInFile[name] ?? expected.frames
      if (frames !== undefined) assert.equal(container.frames, frames)
    })
  }

  void test(`corpus ${folder}: damaged files give a result or a refusal`, () => {
    for (const name of Object.keys(files)) {
      const bytes = readCorpus(folder, name)
      const type = imageFormatOf(bytes)
      if (type === undefined || type === 'bmp') continue
      for (const damaged of flipBytes(bytes, 50, bytes.length)) judge(damaged, type)
    }
  })
}

/** exiftool groups that say nothing about the file's origin, or are the colour profile, which stays. */
const harmlessGroups = /^(?:ExifTool|System|Composite|JFIF|ICC[-_].+|Adobe|PNG-pHYs)$/
/** Other permitted tags: dimensions, colours, and the EXIF orientation. */
const harmlessTags: ReadonlySet<string> = new Set([
  'SourceFile',
  'IFD0:Orientation',
  ...['MIMEType', 'FileType', 'FileTypeExtension', 'ExifByteOrder'].map((tag) => `File:${tag}`),
  ...['ImageWidth', 'ImageHeight', 'EncodingProcess', 'ColorComponents'].map((tag) => `File:${tag}`),
  ...['BitsPerSample', 'YCbCrSubSampling'].map((tag) => `File:${tag}`),
  ...['ImageWidth', 'ImageHeight', 'BitDepth', 'ColorType', 'Compression', 'Filter'].map(
    (tag) => `PNG:${tag}`,
  ),
  ...['Interlace', 'Palette', 'Transparency', 'Gamma', 'SignificantBits'].map((tag) => `PNG:${tag}`),
  ...['BackgroundColor', 'SRGBRendering', 'ProfileName', 'WhitePointX', 'WhitePointY'].map(
    (tag) => `PNG:${tag}`,
  ),
  ...['RedX', 'RedY', 'GreenX', 'GreenY', 'BlueX', 'BlueY'].map((tag) => `PNG:${tag}`),
  ...['GIFVersion', 'ImageWidth', 'ImageHeight', 'HasColorMap', 'BitsPerPixel'].map((tag) => `GIF:${tag}`),
  ...['ColorResolutionDepth', 'BackgroundColor', 'FrameCount', 'Duration'].map((tag) => `GIF:${tag}`),
  'GIF:AnimationIterations',
  'GIF:TransparentColor',
])

void test('exiftool finds no private data in what is served', { timeout: 120_000 }, (t) => {
  const version = spawnSync('exiftool', ['-ver'], { encoding: 'utf8' })
  if (version.status !== 0 || !existsSync(corpus)) {
    t.diagnostic('no exiftool or no corpus here')
    t.skip()
    return
  }
  const folder = mkdtempSync(join(tmpdir(), 'waymark-strip-'))
  try {
    let turned = 0
    for (const name of folders) {
      const files = JSON.parse(readFileSync(new URL(`${name}/expected.json`, corpus), 'utf8')) as object
      for (const file of Object.keys(files)) {
        const bytes = readCorpus(name, file)
        const { container } = walkUpload(bytes)
        if (container === undefined) continue
        const orientation = orientationFrom(container.metadata)
        if (orientation > 1) turned += 1
        writeFileSync(join(folder, `${name}-${file}`), strip(bytes, container, orientation))
      }
    }
    const found = spawnSync('exiftool', ['-json', '-G1', '-a', '-u', '-ee3', folder], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    })
    const reports = JSON.parse(found.stdout) as Record<string, unknown>[]
    assert.ok(reports.length > 200)
    for (const report of reports) {
      for (const key of Object.keys(report)) {
        const [group = ''] = key.split(':')
        const isHarmless = harmlessTags.has(key) || harmlessGroups.test(group)
        assert.ok(isHarmless, `${String(report['SourceFile'])} has ${key}`)
      }
    }
    assert.equal(reports.filter((report) => 'IFD0:Orientation' in report).length, turned)
    assert.ok(turned > 10)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
