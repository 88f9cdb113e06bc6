// Photos placed by a GPX file against `exiftool -geotag`: 200 on a made-up walk, and some on every real track of the corpus.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { placeOnTrack, type PhotoOnTrack } from '../../../src/shared/placing/place-on-track.ts'
import { timeZoneOf } from '../../../src/shared/placing/track-zone.ts'
import { readTrack } from '../../../src/shared/placing/track.ts'
import { corpusAbsent, corpusFile, expectedOf } from '../../helpers/corpus.ts'
import { newFolder } from '../../helpers/folders.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { gpxOf, metresApart, walkNorth, type Fix } from './placing-helpers.ts'
import { timedPhoto } from './timed-photos.ts'

const run = promisify(execFile)

function exiftoolAbsent(): string | undefined {
  try {
    execFileSync('exiftool', ['-ver'])
    return undefined
  } catch {
    return 'exiftool is not installed'
  }
}
const skip = exiftoolAbsent()

type Geotagged = ReadonlyMap<string, { readonly lat: number; readonly lon: number }>

/** What exiftool makes of the photos of a folder, by name; those that it does not place are missing. */
async function geotag(
  folder: string,
  gpx: string,
  timeZone: string,
  options: readonly string[] = [],
): Promise<Geotagged> {
  const out = `${folder}-${options.length}`
  const env = { PATH: process.env['PATH'], TZ: timeZone }
  const tagged = ['-geotag', gpx, '-Geotime<SubSecDateTimeOriginal', ...options, '-q', '-q', '-o', `${out}/`]
  // It fails where it cannot place a photo, and has placed the others.
  await run('exiftool', [...tagged, folder], { env }).catch(() => undefined)
  await mkdir(out, { recursive: true })
  if ((await readdir(out)).length === 0) return new Map()
  const read = ['-json', '-n', '-q', '-if', '$GPSLatitude', '-GPSLatitude', '-GPSLongitude', out]
  const { stdout } = await run('exiftool', read, { env }).catch(() => ({ stdout: '' }))
  const rows = JSON.parse(stdout === '' ? '[]' : stdout) as readonly {
    readonly SourceFile: string
    readonly GPSLatitude: number
    readonly GPSLongitude: number
  }[]
  return new Map(
    rows.map((row) => [path.basename(row.SourceFile), { lat: row.GPSLatitude, lon: row.GPSLongitude }]),
  )
}

interface Compared {
  /** Metres, from the nearest to the farthest. */
  readonly apart: readonly number[]
  readonly ours: readonly PhotoOnTrack[]
}

const jpeg = await jpegPicture({ width: 8, height: 8 })

/** Takes photos at these moments, by a clock of the track's zone, and compares where both place them. */
async function compare(t: TestContext, gpx: string, moments: readonly number[]): Promise<Compared> {
  const reading = await readTrack(gpx)
  assert.ok(reading.ok)
  const timeZone = await timeZoneOf(reading.value)
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  const folder = path.join(await newFolder(t), 'photos')
  await mkdir(folder)
  const names = moments.map((_, index) => `${String(index).padStart(3, '0')}.jpg`)
  const photos = moments.map((ms) => {
    const fraction = String(((ms % 1_000) + 1_000) % 1_000).padStart(3, '0')
    return timedPhoto(jpeg, { localTime: `${clock.format(ms).replace(' ', 'T')}.${fraction}` })
  })
  await Promise.all(names.map((name, index) => writeFile(path.join(folder, name), photos[index] ?? '')))
  const track = `${folder}.gpx`
  await writeFile(track, gpx)

  const placed = await placeOnTrack(
    photos.map((photo) => new Blob([new Uint8Array(photo)])),
    gpx,
  )
  assert.ok(placed.ok)
  const ours = placed.value.photos
  const theirs = await geotag(folder, track, timeZone)
  const within60 = ['-api', 'GeoMaxIntSecs=60', '-api', 'GeoMaxExtSecs=60']
  const near = await geotag(folder, track, timeZone, within60)
  assert.deepEqual(
    names.filter((_, index) => ours[index]?.kind === 'placed'),
    [...near.keys()].toSorted(),
    'the same photos lie within 60 seconds of a fix',
  )
  const apart = ours.flatMap((photo, index) => {
    const other = theirs.get(names[index] ?? '')
    return photo.kind === 'placed' && other !== undefined ? [metresApart(photo.details, other)] : []
  })
  return { apart: apart.toSorted((one, other) => one - other), ours }
}

function judge(t: TestContext, { apart, ours }: Compared): void {
  const [median = 0, max = 0] = [apart[apart.length >> 1], apart.at(-1)]
  t.diagnostic(
    `${ours.length} photos, ${apart.length} placed: median ${median.toFixed(3)} m, maximum ${max.toFixed(3)} m`,
  )
  assert.ok(median <= 1, `the median is ${median} m`)
  assert.ok(max <= 5, `the maximum is ${max} m`)
  for (const photo of ours) if (photo.kind === 'placed') assert.ok(photo.place.secondsFromFix <= 60)
}

/** The same everywhere, and never twice the same. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

test('200 photos of a walk with bends, pauses and gaps are placed as by exiftool', { skip }, async (t) => {
  const random = createRandom(24)
  const start = Date.UTC(2026, 4, 14, 6)
  const segments: Fix[][] = []
  let [at, lat, lon] = [start, 46.5, 8.1]
  for (let segment = 0; segment < 5; segment += 1) {
    const fixes: Fix[] = []
    for (let count = 0; count < 250; count += 1) {
      const seconds = random() < 0.02 ? 200 + random() * 1_000 : 1 + Math.floor(random() * 14)
      at += Math.round(seconds * 1_000)
      lat += (random() - 0.3) * seconds * 1.5e-5
      lon += (random() - 0.5) * seconds * 3e-5
      fixes.push({ at, lat, lon, ele: 800 + random() * 20 })
    }
    segments.push(fixes)
    at += 3_600_000 * segment
  }
  const all = segments.flat()
  // Most were taken while the receiver recorded, the others at any time of the day.
  const moments = Array.from({ length: 200 }, (_, index) => {
    const fix = Number(all[Math.floor(random() * all.length)]?.at)
    const anyTime = start - 300_000 + random() * (at - start + 600_000)
    return Math.round(index % 4 === 0 ? anyTime : fix + (random() - 0.5) * 60_000)
  })
  const compared = await compare(t, gpxOf(...segments), moments)
  judge(t, compared)
  assert.ok(compared.apart.length > 140, `only ${compared.apart.length} were placed`)
  assert.ok(compared.apart.length < 190, 'nearly all were placed')
})

test('photos of a ferry over the antimeridian are placed as by exiftool', { skip }, async (t) => {
  const start = Date.UTC(2026, 4, 14, 6)
  const fixes = walkNorth(start, 3_600, { every: 30 })
    .entries()
    .map(([index, { at }]): Fix => {
      const lon = 179.9 + index * 0.002
      return { at, lat: -17 - index * 0.0004, lon: lon > 180 ? lon - 360 : lon }
    })
  const moments = Array.from({ length: 40 }, (_, index) => start + index * 91_700)
  judge(t, await compare(t, gpxOf([...fixes]), moments))
})

test(
  'photos on the real tracks of the corpus are placed as by exiftool',
  { skip: skip ?? corpusAbsent },
  async (t) => {
    let tracks = 0
    for (const [name] of await expectedOf('gpx')) {
      const gpx = (await corpusFile('gpx', name)).toString('utf8')
      const reading = await readTrack(gpx)
      if (!reading.ok || reading.value.count < 10) continue
      tracks += 1
      await t.test(name, async (file) => {
        const { times, count } = reading.value
        const random = createRandom(count)
        // Beside fixes of the whole track, in its pauses, and beyond its ends.
        const moments = Array.from({ length: 30 }, () => {
          const fix = times[Math.floor(random() * count)] ?? 0
          return Math.round(fix + (random() - 0.5) * 200_000)
        })
        judge(file, await compare(file, gpx, moments))
      })
    }
    assert.ok(tracks >= 10, `only ${tracks} tracks of the corpus have times`)
  },
)
