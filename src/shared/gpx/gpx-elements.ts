// Which element may contain which, and in what order, for GPX 1.0 and 1.1 together. Determines what is read and what
// causes a warning.

const pointChildren =
  'ele time course speed magvar geoidheight name cmt desc src link url urlname sym type fix sat hdop vdop pdop ageofdgpsdata dgpsid extensions'
const lineChildren = 'name cmt desc src link url urlname number type extensions'

/** The children of every element that is parsed, in the schema's order. */
const children = {
  gpx: 'metadata name desc author email url urlname time keywords bounds wpt rte trk extensions',
  metadata: 'name desc author copyright link time keywords bounds extensions',
  wpt: pointChildren,
  rte: `${lineChildren} rtept`,
  rtept: pointChildren,
  trk: `${lineChildren} trkseg`,
  trkseg: 'trkpt extensions',
  trkpt: pointChildren,
} as const

/** An element whose children are parsed. */
export type Container = keyof typeof children

const places: ReadonlyMap<string, ReadonlyMap<string, number>> = new Map(
  Object.entries(children).map(([container, names]) => [
    container,
    new Map(names.split(' ').map((name, place) => [name, place])),
  ]),
)

/** The position of a child in the order of the schema; undefined if it does not belong there. */
export function placeIn(container: Container, child: string): number | undefined {
  return places.get(container)?.get(child)
}

export function isContainer(name: string): name is Container {
  return places.has(name)
}

export function isPoint(name: string): name is 'wpt' | 'rtept' | 'trkpt' {
  return name === 'wpt' || name === 'rtept' || name === 'trkpt'
}

/** Elements whose text is read: of a line, a waypoint or the document the name, of a point elevation and time. */
export function isRead(container: Container, child: string): child is 'name' | 'ele' | 'time' {
  if (child === 'name') return container !== 'rtept' && container !== 'trkpt'
  return (child === 'ele' || child === 'time') && isPoint(container)
}

export const gpx10 = 'http://www.topografix.com/GPX/1/0'
export const gpx11 = 'http://www.topografix.com/GPX/1/1'
