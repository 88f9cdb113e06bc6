// Third-party JPEGs that were once handled wrongly, and other encoders: the served file shows the same and hides nothing.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import { cleanIccProfile } from '../../../../src/imaging/formats/icc/icc-profile.ts'
import { standardLimits } from '../../../../src/imaging/image-limits.ts'
import { examine } from '../../../../src/imaging/examine.ts'
import { strip } from '../../../../src/imaging/containers.ts'
import { corpusAbsent, corpusFile } from '../../../helpers/corpus.ts'
import { createRandom, insertAt } from '../../../helpers/containers-fixtures.ts'
import { shownBy } from '../../../helpers/icc-fixtures.ts'
import { walk } from '../../../helpers/imaging.ts'

const samples = (bytes: Uint8Array): Promise<Buffer> => sharp(bytes, { failOn: 'none' }).raw().toBuffer()
const stripped = (bytes: Uint8Array): Buffer => Buffer.from(strip(bytes, walk(bytes, 'jpeg'), 1))

describe('corpus JPEGs that were once handled wrongly', { skip: corpusAbsent }, () => {
  const refused: Readonly<Record<string, RegExp>> = {
    'hopper_bad_exif.jpg': /damaged/,
    'subtract-with-overflow.jpg': /damaged/,
    'id_000324_src_000000_op_arith16_pos_227_val_be_-16.jpg': /damaged/,
    'testimgl.jpg': /lossless coding, which browsers do not support/,
    'jpeg_lossless_sel2.jpg': /lossless coding, which browsers do not support/,
  }
  for (const [file, reason] of Object.entries(refused)) {
    it(`C15: ${file} is refused for the correct reason`, async () => {
      const outcome = await examine(await corpusFile('found', file), standardLimits)
      assert.ok(!outcome.ok)
      assert.equal(outcome.code, 'broken-image')
      assert.match(outcome.detail ?? '', reason)
    })
  }

  it('C25: bytes within a scan that no block uses are not served', async () => {
    const photo = await corpusFile('found', 'extraneous-bytes-after-sos.jpg')
    const served = stripped(photo)
    // Here the end marker follows the last block immediately; there it did not.
    assert.ok(!photo.includes(served.subarray(-20)) && photo.includes(served.subarray(-20, -3)))
    await sharp(served, { failOn: 'warning' }).stats()
    assert.ok((await samples(served)).equals(await samples(photo)))
  })

  it('C25: the serial number of a display is not served with its profile', async () => {
    const photo = await corpusFile('found', 'empty_image.jpg')
    const served = stripped(photo)
    const serial = Buffer.from('0200e8af', 'hex')
    assert.ok(photo.includes(serial) && photo.includes('mmod'))
    assert.ok(!served.includes(serial) && !served.includes('mmod'))
    const [before, after] = await Promise.all(
      [photo, served].map((one) => sharp(one).toColourspace('srgb').raw().toBuffer()),
    )
    assert.ok(before?.equals(after ?? Buffer.alloc(0)))
  })
})

const hasCoder = spawnSync('cjpeg', ['-version']).status === 0

describe('files encoded with libjpeg', { skip: hasCoder ? false : 'no cjpeg (libjpeg-turbo-progs)' }, () => {
  const [width, height] = [157, 123]
  const random = createRandom(5)
  const pixels = Buffer.from(
    Array.from(
      { length: width * height * 3 },
      (_, index) => (index / 3 / width) * 2 + (index % 3) * 40 + random() * 60,
    ),
  )
  const ppm = Buffer.concat([Buffer.from(`P6\n${width} ${height}\n255\n`), pixels])
  const encode = (...options: readonly string[]): Buffer => spawnSync('cjpeg', options, { input: ppm }).stdout

  const samplings = [
    '1x1',
    '2x2',
    '2x1',
    '1x2',
    '4x1',
    '1x1,2x2,1x1',
    '2x2,1x2,2x1',
    '3x1,1x1,1x1',
    '2x2,2x1,1x1',
  ]
  const modes = [
    [],
    ['-optimize'],
    ['-progressive'],
    ['-grayscale'],
    ['-grayscale', '-progressive'],
    ['-rgb'],
  ]
  const restarts = [[], ['-restart', '1B'], ['-restart', '7B'], ['-restart', '1']]
  for (const sampling of samplings) {
    it(`C25: sampling ${sampling}: served byte for byte, without what precedes a marker`, async () => {
      let count = 0
      for (const quality of ['5', '50', '95', '100']) {
        for (const mode of modes) {
          for (const restart of restarts) {
            const jpeg = encode('-quality', quality, '-sample', sampling, ...mode, ...restart)
            assert.ok(jpeg.length > 0)
            assert.ok(stripped(jpeg).equals(jpeg), `${quality} ${mode.join(' ')} ${restart.join(' ')}`)
            const marker = lastMarker(jpeg)
            assert.ok(stripped(insertAt(jpeg, marker, Buffer.from('SECRET'))).equals(jpeg))
            count += 1
          }
        }
      }
      assert.equal(count, 96)
    })
  }

  it('C15: arithmetic coding, which no browser supports, is refused for that reason', async () => {
    for (const mode of [['-arithmetic'], ['-arithmetic', '-progressive']]) {
      const outcome = await examine(encode(...mode), standardLimits)
      assert.ok(!outcome.ok)
      assert.match(outcome.detail ?? '', /arithmetic coding, which browsers do not support/)
    }
  })
})

/** The file's last restart marker, or the end marker. */
function lastMarker(jpeg: Buffer): number {
  let at = jpeg.length - 2
  for (let position = at; position > 0; position -= 1) {
    const code = jpeg[position + 1] ?? 0
    if (jpeg[position] !== 0xff || code === 0 || code === 0xff) continue
    if (code >= 0xd0 && code <= 0xd7) return position
    at = jpeg.length - 2
    if (code !== 0xd9) break
  }
  return at
}

const profileFolders = [
  '/usr/share/color/icc',
  '/usr/share/color/icc/colord',
  '/usr/share/color/icc/ghostscript',
]
const profiles = profileFolders
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`))
  .filter((path) => /\.ic[cm]$/.test(path))

describe(
  'profiles installed on the system',
  { skip: profiles.length > 0 ? false : 'no profiles (icc-profiles-free, colord-data)' },
  () => {
    for (const path of profiles) {
      it(`C25: ${path} shows the same colours without its texts`, async (t) => {
        const profile = readFileSync(path)
        const cleaned = cleanIccProfile(profile)
        if (cleaned === undefined) {
          const [kind, space] = [profile.toString('latin1', 12, 16), profile.toString('latin1', 16, 20)]
          t.diagnostic(`dropped: ${kind} ${space}`)
          assert.ok(['nmcl', 'link', 'abst'].includes(kind) || !['RGB ', 'GRAY', 'CMYK'].includes(space))
          return
        }
        assert.ok((await shownBy(cleaned)).equals(await shownBy(profile)))
      })
    }
  },
)
