// Further details of points and waypoints in a GPX document, beyond position, elevation, time and name.
import { attributeOf, createGpxNames, createTreeReader, textOf, type GpxNode } from './rewrite/gpx-nodes.ts'
import { readingTags } from './rewrite/xml-tags.ts'
import { readGpxNumber } from './gpx-values.ts'

export interface WaypointDetails {
  readonly cmt?: string
  readonly desc?: string
  readonly sym?: string
  readonly type?: string
  readonly links?: readonly string[]
}

/** Sensor values that devices record at each point and many programs read. */
export const sensorNames = ['heart', 'cadence', 'temperature', 'power'] as const
export type SensorName = (typeof sensorNames)[number]

/** By the index of the point in the document; NaN if it has none. */
export type Sensors = ReadonlyMap<SensorName, (index: number) => number>

export interface GpxDetails {
  /** By the index of the waypoint; those without are missing. */
  readonly waypoints: ReadonlyMap<number, WaypointDetails>
  /** The sensors for which any point has a value. */
  readonly sensors: Sensors
}

/** Element names in extensions, of any namespace. */
const sensorOf: ReadonlyMap<string, SensorName> = new Map([
  ['hr', 'heart'],
  ['cad', 'cadence'],
  ['cadence', 'cadence'],
  ['atemp', 'temperature'],
  ['temp', 'temperature'],
  ['power', 'power'],
  ['PowerInWatts', 'power'],
])

const words = ['cmt', 'desc', 'sym', 'type'] as const

const isWord = (local: string): local is (typeof words)[number] => words.some((word) => word === local)

/** Collects the details of a waypoint, element by element. */
function createWords() {
  const found: Partial<Record<(typeof words)[number], string>> = {}
  const links: string[] = []
  return {
    add(node: GpxNode): void {
      const { local } = node
      const text = textOf(node).trim()
      if (isWord(local)) {
        if (text !== '') found[local] ??= text
        return
      }
      const address = local === 'link' ? attributeOf(node, 'href') : text
      if (address !== undefined && address !== '') links.push(address)
    },
    all(): WaypointDetails | undefined {
      if (links.length > 0) return { ...found, links }
      return Object.keys(found).length === 0 ? undefined : found
    },
  }
}

function createColumns() {
  const columns = new Map<SensorName, Float64Array>()
  return {
    put(name: SensorName, index: number, value: number): void {
      const known = columns.get(name)
      if (known !== undefined && index < known.length) {
        if (Number.isNaN(known[index])) known[index] = value
        return
      }
      const longer = new Float64Array(Math.max(64, 2 * (index + 1))).fill(NaN)
      if (known !== undefined) longer.set(known)
      longer[index] = value
      columns.set(name, longer)
    },
    all: (): Sensors =>
      new Map([...columns].map(([name, values]) => [name, (index: number) => values[index] ?? NaN])),
  }
}

/** Which details to read: sensors from the extensions of points, text from waypoints. */
type Place = 'gpx' | 'rte' | 'trk' | 'trkseg' | 'wpt' | 'point' | 'extensions' | 'elsewhere'

const placesIn: Readonly<Partial<Record<Place, Readonly<Partial<Record<string, Place>>>>>> = {
  gpx: { wpt: 'wpt', rte: 'rte', trk: 'trk' },
  rte: { rtept: 'point' },
  trk: { trkseg: 'trkseg' },
  trkseg: { trkpt: 'point' },
  point: { extensions: 'extensions' },
}

const placeOf = (parent: Place | undefined, local: string): Place => {
  if (parent === undefined) return 'gpx'
  const inside = placesIn[parent]
  return (inside !== undefined && Object.hasOwn(inside, local) ? inside[local] : undefined) ?? 'elsewhere'
}

/** In steps, for a document that `readGpx` has accepted. */
export function* readingDetails(text: string): Generator<undefined, GpxDetails> {
  const waypoints = new Map<number, WaypointDetails>()
  const columns = createColumns()
  const names = createGpxNames()
  const tree = createTreeReader()
  const places: Place[] = []
  /** The open elements within a point's extensions: the sensor of each, and its text. */
  const inside: { readonly sensor: SensorName | undefined; said: string }[] = []
  let said = createWords()
  let [waypointCount, pointCount] = [0, 0]

  yield* readingTags(text, {
    open(written, attributes) {
      const name = names.enter(written, attributes)
      const place = places.at(-1)
      const { local, isGpx } = name
      if (tree.isOpen()) tree.open(name, attributes)
      else if (place === 'extensions') inside.push({ sensor: sensorOf.get(local), said: '' })
      else if (place === 'wpt' && isGpx && (isWord(local) || local === 'link' || local === 'url'))
        tree.open(name, attributes)
      else {
        if (local === 'wpt') said = createWords()
        places.push(isGpx ? placeOf(place, local) : 'elsewhere')
      }
    },
    close() {
      names.leave()
      if (tree.isOpen()) {
        const node = tree.close()
        if (node !== undefined) said.add(node)
        return
      }
      const element = inside.pop()
      if (element !== undefined) {
        const { sensor } = element
        const value = sensor === undefined ? undefined : readGpxNumber(element.said)?.value
        if (sensor !== undefined && value !== undefined) columns.put(sensor, pointCount, value)
        return
      }
      const place = places.pop()
      if (place === 'point') pointCount += 1
      if (place !== 'wpt') return
      const details = said.all()
      if (details !== undefined) waypoints.set(waypointCount, details)
      waypointCount += 1
    },
    wantsText: () => (tree.isOpen() ? tree.wantsText() : inside.at(-1)?.sensor !== undefined),
    text(part) {
      const element = inside.at(-1)
      if (tree.isOpen()) tree.text(part)
      else if (element !== undefined) element.said += part
    },
  })
  return { waypoints, sensors: columns.all() }
}
