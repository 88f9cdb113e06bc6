// The routes of the demo: walks along its trails as a GPS receiver would have recorded them, and a privacy zone.
import type { AccountRoutes } from '../account-routes/account-routes.ts'
import { digestOf } from '../account-routes/gpx/prepared-gpx.ts'
import type { Visibility } from '../database/route-schema.ts'
import type { DemoTrail, PersonName } from './demo-trail.ts'
import type { AccountIds } from './people.ts'
import { pointOn } from './story.ts'

interface Walk {
  readonly trail: string
  readonly by: PersonName
  readonly name: string
  readonly description: string
  readonly visibility: Visibility
  /** Fractions of the trail's line. */
  readonly from: number
  readonly to: number
  /** Metres above the sea at the start, and up to the highest point. */
  readonly height: readonly [start: number, rise: number]
  readonly daysAgo: number
}

const walks: readonly Walk[] = [
  {
    trail: 'Heron Lake Loop',
    by: 'tomas',
    name: 'Evening round of the lake',
    description: 'Clockwise, so that the sun sets over the water.',
    visibility: 'public',
    from: 0,
    to: 1,
    height: [412, 38],
    daysAgo: 21,
  },
  {
    trail: 'Lantern Ridge Trail',
    by: 'ida',
    name: 'Ridge traverse, scouting',
    description: 'Not to be shown yet: the middle part is closed for nesting until July.',
    visibility: 'private',
    from: 0,
    to: 1,
    height: [1_180, 640],
    daysAgo: 16,
  },
  {
    trail: 'Lantern Ridge Trail',
    by: 'admin',
    name: 'Ridge patrol, north half',
    description: 'Signs checked, two cairns rebuilt.',
    visibility: 'public',
    from: 0.5,
    to: 1,
    height: [1_620, 210],
    daysAgo: 9,
  },
  {
    trail: 'Ochre Steps Trail',
    by: 'boots',
    name: 'up the steps & back',
    description: '',
    visibility: 'link',
    from: 0.2,
    to: 0.9,
    height: [1_420, 190],
    daysAgo: 4,
  },
]

const points = 360
const secondsBetween = 20
const dayMs = 86_400_000

/** The error of the receiver in metres, and in degrees of latitude. */
const strayMetres = 3
const degreesOfMetre = 1 / 111_320

function gpxOf(walk: Walk, trail: DemoTrail, begunAt: number): string {
  const [start, rise] = walk.height
  const lines = Array.from({ length: points }, (_, index) => {
    const share = index / (points - 1)
    const { lat, lon } = pointOn(trail, walk.from + share * (walk.to - walk.from))
    const stray = strayMetres * degreesOfMetre
    const strayedLat = lat + Math.sin(index * 2.399) * stray
    const strayedLon = lon + Math.cos(index * 1.713) * stray
    const height = start + rise * Math.sin(share * Math.PI) ** 2 + 4 * Math.sin(index / 7)
    const time = new Date(begunAt + index * secondsBetween * 1_000).toISOString()
    return `<trkpt lat="${strayedLat.toFixed(6)}" lon="${strayedLon.toFixed(6)}"><ele>${height.toFixed(1)}</ele><time>${time}</time></trkpt>`
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<gpx version="1.1" creator="Waymark demo" xmlns="http://www.topografix.com/GPX/1/1">',
    `<trk><name>${walk.name.replaceAll('&', '&amp;')}</name><trkseg>`,
    ...lines,
    '</trkseg></trk></gpx>',
    '',
  ].join('\n')
}

export interface WalksOptions {
  readonly accountRoutes: AccountRoutes
  readonly ids: AccountIds
  readonly trails: readonly DemoTrail[]
  readonly begunAt: number
  /** Sets the clock of the services. */
  readonly setClock: (at: number) => void
}

/**
 * Creates the routes and the zone, unless an earlier fill has.
 * @returns the id of a public route that a zone clips; undefined if its trail is not included.
 */
export async function makeWalks(options: WalksOptions): Promise<number | undefined> {
  const { accountRoutes, ids, trails, begunAt, setClock } = options
  let clipped: number | undefined
  for (const [index, walk] of walks.entries()) {
    const trail = trails.find(({ name }) => name === walk.trail)
    if (!trail) continue
    const at = begunAt - walk.daysAgo * dayMs
    setClock(at)
    const accountId = ids[walk.by]
    const gpx = gpxOf(walk, trail, at - points * secondsBetween * 1_000)
    const { name, description, visibility } = walk
    // With the key, a repeated fill finds the existing route.
    const target = { accountId, path: 'demo', key: `walk-${index}` }
    const fields = { name, description, visibility, gpx }
    const { routeId } = await accountRoutes.routes.create(target, fields, await digestOf(Buffer.from(gpx)))
    if (walk.by !== 'tomas') continue
    clipped = routeId
    const place = pointOn(trail, walk.from)
    const keyed = { accountId, path: 'demo', key: 'zone', bodySha256: '' }
    await accountRoutes.zones.add(accountId, { ...place, name: 'Home', radiusMetres: 100 }, keyed)
  }
  return clipped
}
