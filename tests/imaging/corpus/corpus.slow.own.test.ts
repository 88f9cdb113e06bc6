// Every real image of the corpus through the running service: accepted or refused as expected, with position, upright,
// and without metadata.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import sharp, { type Sharp } from 'sharp'
import type { Image } from '../../../src/shared/v2/schemas.ts'
import { corpusAbsent, corpusFile, expectedOf, type ExpectedFile } from '../../helpers/corpus.ts'
import { openPicture } from '../../helpers/pictures.ts'
import { startWaymark, type Person, type Waymark } from '../../helpers/waymark.ts'

const run = promisify(execFile)
const folders = ['pngsuite', 'bmp', 'gif', 'orientation', 'gps', 'jpeg-bad'] as const
const sizes = ['sm', '150', 'md', '640', 'lg'] as const

async function hasExiftool(): Promise<boolean> {
  return run('exiftool', ['-ver']).then(
    () => true,
    () => false,
  )
}

/** exiftool groups that only describe how to show the picture; anything else in a served file is a leak. */
const harmless = /^(ExifTool|File|System|Composite|JFIF|APP14|Adobe|PNG|PNG-pHYs|GIF|BMP|RIFF):/
/** Permitted EXIF: the orientation, and the fields required for a valid block. */
const harmlessExif = /^(IFD0|EXIF|PNG):(Orientation|XResolution|YResolution|ResolutionUnit|YCbCrPositioning)$/

/** Forbidden tags that exiftool finds in the files of a folder. */
async function findLeaks(folder: string): Promise<string[]> {
  const { stdout } = await run('exiftool', ['-json', '-G1', '-a', '-u', folder], { maxBuffer: 1 << 28 })
  const files = JSON.parse(stdout || '[]') as Record<string, unknown>[]
  return files.flatMap((tags) =>
    Object.keys(tags)
      .filter((tag) => tag !== 'SourceFile' && !harmlessExif.test(tag) && !tag.startsWith('ICC'))
      .filter(
        (tag) => !harmless.test(tag) || /Comment|XMP|Thumbnail|Text|Author|Copyright|Serial|GPS/i.test(tag),
      )
      .map((tag) => `${path.basename(String(tags['SourceFile']))} holds ${tag}`),
  )
}

function meanDifference(one: Buffer, other: Buffer): number {
  let sum = 0
  for (const [index, value] of one.entries()) sum += Math.abs(value - (other[index] ?? 0))
  return sum / one.length
}

describe('the corpus', { skip: corpusAbsent }, () => {
  let waymark: Waymark
  let person: Person
  let canAskExiftool: boolean
  let folder: string

  before(async () => {
    waymark = await startWaymark({ environment: { QUOTA_PENDING_IMAGES: '0' } })
    await waymark.addTrail(1, 'Corpus')
    person = await waymark.addPerson()
    canAskExiftool = await hasExiftool()
  })
  after(() => waymark.close())

  async function upload(bytes: Buffer): Promise<Response> {
    // A separate key makes each a new upload, since some files of the corpus are equal (C18).
    const headers = { 'content-type': 'application/octet-stream', 'idempotency-key': randomUUID() }
    return waymark.fetch('/Trails/1/Images', {
      method: 'POST',
      token: person.token,
      headers,
      body: new Uint8Array(bytes),
    })
  }

  async function view(imageId: number, query: string): Promise<Buffer> {
    const answer = await waymark.fetch(`/ImageHandler?id=${imageId}&t=${query}`, { token: person.token })
    assert.equal(answer.status, 200, `t=${query}`)
    return Buffer.from(await answer.arrayBuffer())
  }

  async function checkDetails(imageId: number, expected: ExpectedFile): Promise<void> {
    const answer = await waymark.fetch(`/v2/images/${imageId}`, { token: person.token })
    const image = (await answer.json()) as Image
    if (expected.mimeType !== undefined) assert.equal(image.mimeType, expected.mimeType)
    const isSideways = (expected.orientation ?? 1) >= 5
    const { uprightWidth, uprightHeight, width, height } = expected
    const upright = isSideways ? [height, width] : [width, height]
    const size = uprightWidth === undefined ? upright : [uprightWidth, uprightHeight]
    if (size[0] !== undefined) assert.deepEqual([image.width, image.height], size)
    if (expected.lat === undefined || expected.lon === undefined) return
    const unit = 1.000_001e-7 // one unit in the last of seven places
    assert.ok(
      Math.abs((image.lat ?? 0) - Number(expected.lat)) <= unit,
      `lat ${image.lat}, not ${expected.lat}`,
    )
    assert.ok(
      Math.abs((image.lon ?? 0) - Number(expected.lon)) <= unit,
      `lon ${image.lon}, not ${expected.lon}`,
    )
  }

  /** Every served form decodes; it is stored for an independent check. */
  async function keepViews(imageId: number, name: string): Promise<void> {
    for (const query of [...sizes, ...sizes.map((size) => `${size}&f=webp`)]) {
      const bytes = await view(imageId, query)
      const isBmp = bytes.subarray(0, 2).equals(Buffer.from('BM'))
      if (!isBmp) await openPicture(bytes, { failOn: 'error' }).raw().toBuffer()
      await writeFile(path.join(folder, `${name}.${query.replace('&f=', '-')}`), bytes)
    }
  }

  for (const name of folders) {
    it(`${name} is accepted or refused as expected, and what is served is clean`, async (t) => {
      folder = await mkdtemp(path.join(tmpdir(), 'waymark-corpus-'))
      t.after(() => rm(folder, { recursive: true, force: true }))
      for (const [file, expected] of await expectedOf(name)) {
        const answer = await upload(await corpusFile(name, file))
        const text = await answer.text()
        assert.ok(expected.status.includes(answer.status), `${name}/${file}: ${answer.status} ${text}`)
        if (answer.status !== 201) continue
        try {
          await checkDetails(Number(text), expected)
          await keepViews(Number(text), file.replaceAll('/', '-'))
        } catch (error) {
          throw new Error(`${name}/${file}: ${String(error)}`, { cause: error })
        }
      }
      if (canAskExiftool) assert.deepEqual(await findLeaks(folder), [])
      else t.diagnostic('exiftool is not installed: nobody else looked for private metadata')
    })
  }

  it('all orientations are upright in every size, lg by its orientation tag', async () => {
    const small = async (bytes: Buffer) =>
      sharp(bytes).autoOrient().resize(60, 60, { fit: 'fill' }).greyscale().raw().toBuffer()
    for (const shape of ['Landscape', 'Portrait']) {
      const reference = await small(await corpusFile('orientation', `${shape}_1.jpg`))
      for (const turn of [1, 2, 3, 4, 5, 6, 7, 8]) {
        const answer = await upload(await corpusFile('orientation', `${shape}_${turn}.jpg`))
        const imageId = Number(await answer.text())
        for (const size of ['sm', '640', 'lg']) {
          const bytes = await view(imageId, size)
          const difference = meanDifference(await small(bytes), reference)
          assert.ok(difference < 25, `${shape}_${turn} at ${size} differs by ${difference}`)
          const { orientation } = await sharp(bytes).metadata()
          if (size !== 'lg') assert.equal(orientation, undefined)
        }
      }
    }
  })

  it('lg has the coded data of the upload, byte for byte', async () => {
    for (const [file] of await expectedOf('gps')) {
      const original = await corpusFile('gps', file)
      const answer = await upload(original)
      const large = await view(Number(await answer.text()), 'lg')
      // From the first scan to the end marker, unchanged.
      const scan = large.subarray(large.indexOf(Buffer.from([0xff, 0xda])))
      assert.ok(scan.length > 10, file)
      assert.ok(original.includes(scan), `${file}: the coded data is not the upload's`)
      const decoded = await Promise.all([original, large].map((bytes) => sharp(bytes).raw().toBuffer()))
      assert.ok(decoded[0]?.equals(decoded[1] ?? Buffer.alloc(0)), `${file}: other pixels`)
    }
  })

  it('BMP files look like their references', async () => {
    // bmp-corpus.test.ts compares pixels; JPEG and WebP store less colour than a dithered picture has.
    const coarse = (image: Sharp) => image.removeAlpha().resize(16, 8, { fit: 'fill' }).raw().toBuffer()
    for (const [file, expected] of await expectedOf('bmp')) {
      if (expected.reference === undefined) continue
      const answer = await upload(await corpusFile('bmp', file))
      const seen = await coarse(openPicture(await view(Number(await answer.text()), '640')))
      const mean = meanDifference(
        seen,
        await coarse(openPicture(await corpusFile('bmp', expected.reference))),
      )
      assert.ok(mean < 20, `${file}: mean difference ${mean}`)
    }
  })
})
