// Writes a GPX document whose lines were edited. Details of points, tracks and waypoints that still exist are
// preserved.
import { maxElevationMetres } from '../gpx-builder.ts'
import { escapeText } from '../gpx-text.ts'
import { readGpxNumber, readGpxTimestamp } from '../gpx-values.ts'
import { eleElement, startOfPoint, timeElement } from '../gpx-writer.ts'
import type { Line } from '../../geo/points.ts'
import { createGpxNames } from './gpx-nodes.ts'
import { readingParts, type LineKind, type Parts, type Point } from './gpx-parts.ts'
import {
  addElement,
  addLine,
  addMetadata,
  addSegment,
  inOrder,
  placeIn,
  rootTag,
  type Rewriting,
} from './gpx-rewrite.ts'
import { pointLeaves } from './leaves.ts'
import { addAll, addText, isEmpty, noLongText, piecesOf, type LongPieces } from './long-pieces.ts'
import { readingTags } from './xml-tags.ts'

export interface EditedLine {
  readonly kind: LineKind
  /** For a line of the document: the number of its `rte`, or of its `trk`, counted after all `rte`. */
  readonly group: number
  /** For a new line. */
  readonly name: string | undefined
  /** The number of its `trkseg` in the document. */
  readonly inSource: number | undefined
  readonly line: Line
  /** By the index within the line: the number of the point in the document; NaN if it was moved or is new. */
  readonly originOf: (index: number) => number
}

/** Name and description are written where the document has none. */
export interface Editing extends Rewriting {
  /** In output order; adjacent lines of one group are segments of one track. */
  readonly lines: readonly EditedLine[]
  readonly keepsWaypoints: boolean
}

/** A point of the document, split into the parts that an edit may change. */
interface OriginalPoint {
  /** Its attributes: it may be written as `rtept` where it was a `trkpt`, since lines of both kinds can be joined. */
  readonly place: string
  readonly ele: string
  readonly time: string
  readonly rest: string
}

const noParts: Parts = { leaves: undefined, extensions: noLongText() }

const valueIn = (element: string): string => element.slice(element.indexOf('>') + 1, element.lastIndexOf('<'))

/** The parsed values of the element. */
function eleIn(element: string): number {
  const value = element === '' ? NaN : (readGpxNumber(valueIn(element))?.value ?? NaN)
  return Math.abs(value) > maxElevationMetres ? NaN : value
}
const timeIn = (element: string): number =>
  element === '' ? NaN : (readGpxTimestamp(valueIn(element))?.timeMs ?? NaN)

function originalOf(point: Point): OriginalPoint {
  const { parts } = point
  const { leaves, extensions } = parts
  const [ele, time] = [leaves?.get('ele') ?? '', leaves?.get('time') ?? '']
  leaves?.delete('ele')
  leaves?.delete('time')
  const others = inOrder(parts, pointLeaves)
  const rest = isEmpty(extensions)
    ? others
    : `${others}<extensions>${[...piecesOf(extensions)].join('')}</extensions>`
  // Points without a position are reported as well, so that the numbers of the others do not shift.
  return { place: placeIn(point) ?? '', ele, time, rest }
}

/** A line of the document, with the markup around its points. */
interface OriginalLine {
  readonly parts: Parts
  readonly hasPoints: boolean
}

function pointText(
  { kind, line: { points, first }, originOf }: EditedLine,
  index: number,
  originals: readonly OriginalPoint[],
): string {
  const tag = kind === 'rte' ? 'rtept' : 'trkpt'
  const at = first + index
  const [ele, timeMs] = [points.ele(at), points.timeMs(at)]
  const origin = originals[originOf(index)]
  const isKept = origin !== undefined && origin.place !== ''
  const start = isKept ? `<${tag}${origin.place}` : startOfPoint(tag, points.lat(at), points.lon(at))
  // As written in the document, if unchanged.
  const height = isKept && Object.is(eleIn(origin.ele), ele) ? origin.ele : eleElement(ele)
  const time = isKept && Object.is(timeIn(origin.time), timeMs) ? origin.time : timeElement(timeMs)
  const content = height + time + (isKept ? origin.rest : '')
  return content === '' ? `${start}/>\n` : `${start}>${content}</${tag}>\n`
}

const pointsOfStep = 1_000

/** The points, in steps. */
function* writingPoints(
  to: LongPieces,
  edited: EditedLine,
  originals: readonly OriginalPoint[],
): Generator<undefined, void> {
  const count = edited.line.end - edited.line.first
  for (let index = 0; index < count; index += 1) {
    addText(to, pointText(edited, index, originals))
    if (index % pointsOfStep === 0) yield
  }
}

const nameOf = ({ name }: EditedLine): Parts =>
  name === undefined || name.trim() === ''
    ? noParts
    : { leaves: new Map([['name', `<name>${escapeText(name)}</name>`]]), extensions: noLongText() }

/** In steps, for a document that `readGpx` has accepted. @returns the new document in chunks. */
export function* editingGpx(
  text: string,
  { name, description, creator, lines, keepsWaypoints }: Editing,
): Generator<undefined, string[]> {
  let start = rootTag(creator, '')
  const waypoints = noLongText()
  const originals: OriginalPoint[] = []
  const originalLines: Record<LineKind, OriginalLine[]> = { rte: [], trk: [] }
  const segments: Parts[] = []
  let countBefore = 0

  const read = yield* readingParts(text, {
    root(madeBy, declarations) {
      start = rootTag(madeBy ?? creator, declarations)
    },
    point(point) {
      const own = originalOf(point)
      if (point.kind !== 'wpt') originals.push(own)
      else if (own.place !== '')
        addText(waypoints, `<wpt${own.place}>${own.ele}${own.time}${own.rest}</wpt>\n`)
    },
    openLine() {
      countBefore = originals.length
    },
    openSegment: () => undefined,
    closeSegment: (parts) => void segments.push(parts),
    closeLine: (kind, parts) =>
      void originalLines[kind].push({ parts, hasPoints: originals.length > countBefore }),
  })

  const partsOf = (edited: EditedLine): Parts => {
    const at = edited.kind === 'rte' ? edited.group : edited.group - originalLines.rte.length
    return originalLines[edited.kind][at]?.parts ?? nameOf(edited)
  }
  const written: Record<LineKind, LongPieces> = { rte: noLongText(), trk: noLongText() }
  let inside = noLongText()
  for (const [at, edited] of lines.entries()) {
    const points = noLongText()
    yield* writingPoints(points, edited, originals)
    if (edited.kind === 'rte') {
      addLine(written.rte, 'rte', partsOf(edited), points)
      continue
    }
    addSegment(inside, segments[edited.inSource ?? NaN] ?? noParts, points)
    const next = lines[at + 1]
    if (next?.kind === 'trk' && next.group === edited.group) continue
    addLine(written.trk, 'trk', partsOf(edited), inside)
    inside = noLongText()
  }
  // The editor does not show lines without points, so they have not been deleted.
  for (const kind of ['rte', 'trk'] as const)
    for (const { parts, hasPoints } of originalLines[kind])
      if (!hasPoints) addLine(written[kind], kind, parts, noLongText())

  const whole = noLongText()
  addText(whole, start)
  const { leaves } = read.metadata
  leaves?.delete('bounds') // the original lines
  addMetadata(whole, read, {
    name: leaves?.has('name') === true ? '' : name,
    description: leaves?.has('desc') === true ? '' : description,
  })
  if (keepsWaypoints) addAll(whole, waypoints)
  addAll(whole, written.rte)
  addAll(whole, written.trk)
  const { extensions } = read
  if (!isEmpty(extensions)) addElement(whole, { start: '', content: '', extensions, end: '\n' })
  addText(whole, '</gpx>\n')
  return [...piecesOf(whole)]
}

const plain = new Set(['ele', 'time'])

/** Whether any point of a line has more than position, elevation and time. In steps. */
export function* findingPointData(text: string): Generator<undefined, boolean> {
  const names = createGpxNames()
  const open: string[] = []
  let isFound = false
  const steps = readingTags(text, {
    open(written, attributes) {
      const { local, isGpx } = names.enter(written, attributes)
      const parent = open.at(-1)
      isFound ||= (parent === 'trkpt' || parent === 'rtept') && !(isGpx && plain.has(local))
      open.push(isGpx ? local : '')
    },
    close() {
      names.leave()
      open.pop()
    },
    wantsText: () => false,
    text: () => undefined,
  })
  for (;;) {
    const { done } = steps.next()
    if (isFound || done === true) return isFound
    yield
  }
}
