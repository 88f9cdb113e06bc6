// What points and waypoints of a GPX document have besides position, elevation, time and name.
import { attributeOf, childrenOf, readingNodes, textOf, type GpxNode } from './rewrite/gpx-nodes.ts'
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
  /** Those that any point has. */
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

function detailsOf(node: GpxNode): WaypointDetails | undefined {
  const found: Partial<Record<(typeof words)[number], string>> = {}
  const links: string[] = []
  for (const child of childrenOf(node)) {
    if (!child.isGpx) continue
    const word = words.find((name) => name === child.local)
    const text = textOf(child).trim()
    if (word !== undefined && text !== '') found[word] ??= text
    const address = child.local === 'link' ? attributeOf(child, 'href') : child.local === 'url' ? text : ''
    if (address !== undefined && address !== '') links.push(address)
  }
  if (links.length > 0) return { ...found, links }
  return Object.keys(found).length === 0 ? undefined : found
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

/** In steps, of a document that `readGpx` has accepted. */
export function* readingDetails(text: string): Generator<undefined, GpxDetails> {
  const waypoints = new Map<number, WaypointDetails>()
  const columns = createColumns()
  const holders: string[] = []
  let [waypointCount, pointCount] = [0, 0]

  const readSensors = (nodes: readonly GpxNode[], index: number): void => {
    for (const node of nodes) {
      const name = sensorOf.get(node.local)
      const value = name === undefined ? undefined : readGpxNumber(textOf(node))?.value
      if (name !== undefined && value !== undefined) columns.put(name, index, value)
      readSensors(childrenOf(node), index)
    }
  }

  const read = (node: GpxNode): void => {
    const holder = holders.at(-1)
    if (holder === 'gpx' && node.local === 'wpt') {
      const details = detailsOf(node)
      if (details !== undefined) waypoints.set(waypointCount, details)
      waypointCount += 1
    }
    if (!(holder === 'rte' && node.local === 'rtept') && !(holder === 'trkseg' && node.local === 'trkpt'))
      return
    readSensors(
      childrenOf(node).filter(({ isGpx, local }) => isGpx && local === 'extensions'),
      pointCount,
    )
    pointCount += 1
  }

  yield* readingNodes(
    text,
    {
      open: (holder) => void holders.push(holder),
      close: () => void holders.pop(),
      child(node) {
        if (node.isGpx) read(node)
        return false
      },
      tooMany: () => undefined, // nobody has so much to say of a point
    },
    () => undefined,
  )
  return { waypoints, sensors: columns.all() }
}
