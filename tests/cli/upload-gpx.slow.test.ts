// waymark upload --gpx (C56): photos get positions from a track, and the result of each is reported.
import assert from 'node:assert/strict'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { run, type Ran } from './run-waymark.ts'
import { newFolder } from '../helpers/folders.ts'
import { startOauthSite } from '../helpers/oauth-site.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { gpxOf, walkNorth } from '../shared/placing/placing-helpers.ts'
import { timedPhoto, type TimedPhoto } from '../shared/placing/timed-photos.ts'

/** 12:00 UTC, which is 14:00 in Bern. */
const start = Date.UTC(2026, 4, 14, 12)

interface PlacedImage {
  readonly title: string
  readonly lat: number | null
  readonly lon: number | null
  readonly positionSource: string | null
  readonly altitude: number | null
  readonly takenAt: string | null
}

async function begin(t: TestContext, photos: Readonly<Record<string, TimedPhoto>>) {
  const { waymark, url } = await startOauthSite(t)
  const folder = await newFolder(t)
  const { token } = await waymark.addPerson()
  await waymark.addTrail(4711, 'Rim Trail')
  const [from, gpx] = [path.join(folder, 'photos'), path.join(folder, 'walk.gpx')]
  await mkdir(from)
  for (const [index, [name, photo]] of Object.entries(photos).entries())
    await writeFile(path.join(from, name), timedPhoto(await jpegPicture({ seed: index + 1 }), photo))
  await writeFile(gpx, gpxOf(walkNorth(start, 600), walkNorth(start + 3_600_000, 600, { lat: 46.5 })))
  const settings = { XDG_CONFIG_HOME: path.join(folder, 'config'), WAYMARK_URL: url, WAYMARK_TOKEN: token }
  const waymarkCommand = (...args: string[]): Promise<Ran> => run(args, { dataDir: folder, settings })
  return {
    folder,
    gpx,
    upload: (...more: string[]) => waymarkCommand('upload', from, '--trail', '4711', '--gpx', gpx, ...more),
    command: (...more: string[]) => waymarkCommand('--json', 'upload', from, '--trail', '4711', ...more),
    images: async () => {
      const { items } = (await (await waymark.fetch('/v2/images', { token })).json()) as {
        items: PlacedImage[]
      }
      return items.toSorted((one, other) => (one.takenAt ?? '').localeCompare(other.takenAt ?? ''))
    },
  }
}

void test('each photo is placed, keeps its own location, or is reported with its distance in time from the track', async (t) => {
  const { upload, images, gpx } = await begin(t, {
    'after.jpg': { localTime: '2026-05-14T15:20:05' },
    'early.jpg': { localTime: '2026-05-14T12:57:55' },
    'none.jpg': {},
    'own.jpg': { localTime: '2026-05-14T14:02:00', position: { lat: 46.25, lon: 7.25 } },
    'pause.jpg': { localTime: '2026-05-14T14:30:00' },
    'placed.jpg': { localTime: '2026-05-14T14:01:40' },
    'stated.jpg': { localTime: '2026-05-14T21:01:45', offset: '+09:00' },
  })
  const { exitCode, stdout } = await upload()
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => line.replace(/^.*[/\\](?=\w+\.jpg: )/, ''))
  assert.deepEqual(lines.slice(0, -1), [
    `By ${gpx} (clocks read in Europe/Zurich): 2 placed, 1 with their own position, 3 outside the track, 1 without a time`,
    'after.jpg: not placed: taken 10 min after the track ends',
    'early.jpg: not placed: taken 1 h 2 min before the track begins',
    'none.jpg: not placed: it does not say when it was taken',
    'own.jpg: has its own position',
    'pause.jpg: not placed: taken in a pause of the track, 20 min from its nearest point',
    'placed.jpg: placed by the track',
    'stated.jpg: placed by the track',
  ])
  assert.match(lines.at(-1) ?? '', /^7 files: 7 uploaded/)
  assert.equal(exitCode, 0)
  const all = await images()
  assert.deepEqual(
    all.map(({ positionSource, lat, altitude }) => [positionSource, lat?.toFixed(5), altitude]),
    [
      [null, undefined, null], // none
      [null, undefined, null], // early
      ['track', '46.00108', 510],
      ['exif', '46.25000', null],
      [null, undefined, null], // pause
      [null, undefined, null], // after
      ['track', '46.00113', 510.5],
    ],
  )
})

void test('a clock of another time zone: the summary suggests the offset, and with it the photos are placed', async (t) => {
  const minutes = [0, 2, 4, 6, 8]
  const { upload, images, folder } = await begin(
    t,
    Object.fromEntries(
      minutes.map((minute) => [`${minute}.jpg`, { localTime: `2026-05-14T08:0${minute}:00` }]),
    ),
  )
  const report = path.join(folder, 'report.json')
  const dry = await upload('--dry-run')
  const hint =
    "With --gpx-offset 21600 it would be 5 placed instead of 0: the camera's clock seems to be 6 h behind."
  assert.ok(dry.stdout.includes(hint), dry.stdout)
  assert.deepEqual(await images(), [])
  assert.ok((await upload('--report', report)).stdout.includes(hint))
  assert.deepEqual(
    (await images()).map(({ positionSource }) => positionSource),
    minutes.map(() => null),
  )

  // Photos uploaded without a position get it, and nothing is uploaded twice.
  const again = await upload('--gpx-offset', '21600', '--report', report, '--resume')
  assert.match(again.stdout, /: 5 placed\n/)
  assert.match(again.stdout, /5 files: 5 already uploaded/)
  assert.deepEqual(
    (await images()).map(({ positionSource, takenAt, lat }) => [positionSource, takenAt, lat?.toFixed(4)]),
    minutes.map((minute) => [
      'track',
      `2026-05-14T14:0${minute}:00+02:00`,
      (46 + (minute * 60 * 1.2) / 111_200).toFixed(4),
    ]),
  )
  const { files } = JSON.parse(await readFile(report, 'utf8')) as { files: { place: { kind: string } }[] }
  assert.deepEqual(
    files.map(({ place }) => place.kind),
    minutes.map(() => 'track'),
  )
  // The journal knows them without a report; if it is lost, the server does.
  const known = await upload('--gpx-offset', '21600')
  assert.match(known.stdout, /5 files: 5 already uploaded/)
  await rm(path.join(folder, 'state'), { recursive: true })
  const lost = await upload('--gpx-offset', '21600')
  assert.match(
    lost.stderr,
    /0\.jpg: already uploaded as image \d+\. It was uploaded with other details, which were not/,
  )
  assert.deepEqual([lost.exitCode, (await images()).length], [0, 5])
})

void test('with --json each photo has its location, and the last line is about the track', async (t) => {
  const { command, gpx } = await begin(t, { 'one.jpg': { localTime: '2026-05-14T13:00:10' } })
  const lines = (await command('--gpx', gpx, '--gpx-offset', '-10')).stdout.trim().split('\n')
  const [photo, track] = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  assert.deepEqual(photo?.['place'], { kind: 'before', seconds: 3_600 })
  assert.deepEqual(track, {
    gpx,
    timeZone: 'Europe/Zurich',
    offsetSeconds: -10,
    placed: 0,
    suggestions: [
      { offsetSeconds: 3_590, placed: 1 },
      { offsetSeconds: 7_190, placed: 1 },
    ],
  })
})

void test('an invalid track, and an offset without one, are refused before anything is sent', async (t) => {
  const { command, folder, gpx } = await begin(t, {})
  const file = path.join(folder, 'planned.gpx')
  await writeFile(file, '<gpx version="1.1" creator="me"><rte><rtept lat="46.94" lon="7.44"/></rte></gpx>')
  const cases = [
    [
      ['--gpx', file],
      2,
      `${file} cannot be used as a track. The file contains no times, so photos cannot be placed by it.`,
    ],
    [['--gpx', `${gpx}x`], 2, `${gpx}x cannot be used: no such file or directory.`],
    [['--gpx-offset', '60'], 1, '--gpx-offset requires the track of the photos: --gpx FILE.'],
    [
      ['--gpx', gpx, '--gpx-offset', '1h'],
      1,
      '--gpx-offset must be a number of seconds, such as 90 or -3600.',
    ],
  ] as const
  for (const [args, exitCode, message] of cases) {
    const ran = await command(...args)
    assert.deepEqual([ran.exitCode, ran.stderr], [exitCode, `${message}\n`])
  }
})
