// No size of a photo reveals when, in which direction, how high or how accurately it was taken: exiftool finds nothing.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { after, test } from 'node:test'
import { imageSizes } from '../../../src/shared/image-sizes.ts'
import { ascii, buildTiff, exifSegment, gpsEntries, insertSegments } from '../../helpers/exif-fixtures.ts'
import { rationals, short, tags } from '../../helpers/exif-fixtures.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { startWaymark } from '../../helpers/waymark.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()

const hasExiftool = spawnSync('exiftool', ['-ver']).status === 0
/** Everything that it knows about a file, including unknown fields. */
const toldOf = (bytes: Buffer): string =>
  execFileSync('exiftool', ['-a', '-u', '-U', '-G1', '-s', '-'], { input: bytes }).toString()

const photo = insertSegments(await jpegPicture({ width: 900, height: 700 }), [
  exifSegment(
    buildTiff({
      main: [short(tags.orientation, 6), ascii(0x0132, '2026:05:14 23:08:08')],
      exif: [
        ascii(tags.takenAt, '2026:05:14 23:08:07'),
        ascii(tags.digitisedAt, '2026:05:14 23:08:09'),
        ascii(tags.subSeconds, '123'),
        ascii(tags.offset, '+02:00'),
      ],
      gps: [
        ...gpsEntries(47.37, 8.54),
        rationals(tags.altitude, [4_321, 10]),
        ascii(tags.directionReference, 'T'),
        rationals(tags.direction, [1_234, 10]),
        rationals(tags.accuracy, [567, 100]),
      ],
    }),
  ),
])
const secrets = /2026:05:14|\+02:00|432\.1|123\.4|5\.67|GPS|DateTime|SubSec|OffsetTime/

void test('no size contains it', { skip: hasExiftool ? false : 'exiftool is missing' }, async () => {
  for (const found of ['2026:05:14', '+02:00', '432.1', '123.4', '5.67', 'GPSLatitude'])
    assert.ok(toldOf(photo).includes(found), `exiftool finds ${found} in the photo itself`)
  const imageId = await waymark.upload(ana, 4711, photo)
  for (const view of imageSizes.flatMap((size) => [size, `${size}&f=webp`])) {
    const answer = await waymark.fetch(`/ImageHandler?id=${imageId}&t=${view}`, { token: ana.token })
    assert.equal(answer.status, 200, view)
    const served = Buffer.from(await answer.arrayBuffer())
    assert.doesNotMatch(toldOf(served), secrets, view)
    assert.equal(served.includes('2026:05'), false, view)
  }
})
