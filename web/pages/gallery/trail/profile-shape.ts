// The geometry of the elevation profile: frame, paths, ticks, and the positions of photos. Depends on neither React
// nor the window.

export interface ProfilePoint {
  /** From the start of the trail. */
  readonly miles: number
  /** Metres. */
  readonly elevation: number
}

export interface ProfileFrame {
  readonly lengthMiles: number
  /** Elevations in metres at the lower and at the upper edge. */
  readonly from: number
  readonly to: number
}

/** A photo, or several whose dots would overlap: the first of them is opened. */
export interface PhotoDot<Photo> {
  readonly photo: Photo
  readonly miles: number
  readonly imageIds: readonly number[]
}

/** With a smaller range, small bumps would look like mountains. */
const minRangeMetres = 60
/** Margin above the highest point and below the lowest. */
const roomShare = 0.12
/** Width and height of the drawing, which is stretched to its container. */
export const drawing = { width: 1_000, height: 100 } as const
/** Dots closer than this share of the length are merged. */
const minDotGap = 0.012

/**
 * Undefined if the trail has no length. @param lengthMiles of the line; by default the position of the last point.
 */
export function frameOf(
  points: readonly ProfilePoint[],
  lengthMiles: number | null,
): ProfileFrame | undefined {
  const length = Math.max(lengthMiles ?? 0, points.at(-1)?.miles ?? 0)
  if (!(length > 0)) return undefined
  let [lowest, highest] = [Infinity, -Infinity]
  for (const { elevation } of points) {
    lowest = Math.min(lowest, elevation)
    highest = Math.max(highest, elevation)
  }
  if (lowest > highest) return { lengthMiles: length, from: 0, to: 1 }
  const range = Math.max(minRangeMetres, highest - lowest)
  const middle = (lowest + highest) / 2
  const half = range * (0.5 + roomShare)
  return { lengthMiles: length, from: middle - half, to: middle + half }
}

const within = (share: number): number => Math.min(1, Math.max(0, share))

/** From 0 at the start to 1 at the end. */
export const shareOf = (miles: number, { lengthMiles }: ProfileFrame): number => within(miles / lengthMiles)

/** From 0 at the upper edge to 1 at the lower. */
export const depthOf = (elevation: number, { from, to }: ProfileFrame): number =>
  within((to - elevation) / (to - from))

const figure = (value: number): string => String(Math.round(value * 100) / 100)

/** The line, and the area below it. */
export function pathsOf(
  points: readonly ProfilePoint[],
  frame: ProfileFrame,
): { readonly line: string; readonly area: string } | undefined {
  if (points.length < 2) return undefined
  const places = points.map(
    ({ miles, elevation }) =>
      `${figure(shareOf(miles, frame) * drawing.width)} ${figure(depthOf(elevation, frame) * drawing.height)}`,
  )
  const line = `M${places.join('L')}`
  const [first = '', last = ''] = [places[0]?.split(' ')[0], places.at(-1)?.split(' ')[0]]
  return { line, area: `${line}L${last} ${drawing.height}L${first} ${drawing.height}Z` }
}

/** Metres, interpolated between the two nearest points; undefined without a profile. */
export function elevationAt(points: readonly ProfilePoint[], miles: number): number | undefined {
  let [low, high] = [0, points.length - 1]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((points[middle]?.miles ?? NaN) < miles) low = middle + 1
    else high = middle
  }
  const [before, after] = [points[low - 1] ?? points[low], points[low]]
  if (before === undefined || after === undefined) return undefined
  const gap = after.miles - before.miles
  const share = gap > 0 ? within((miles - before.miles) / gap) : 1
  return before.elevation + (after.elevation - before.elevation) * share
}

interface Placed {
  readonly imageID: number
  readonly milesAlong: number | null
}

/** In the order of the trail. Photos that are not near the line have none. */
export function dotsOf<Photo extends Placed>(
  photos: readonly Photo[],
  { lengthMiles }: ProfileFrame,
): readonly PhotoDot<Photo>[] {
  const placed = photos
    .flatMap((photo) => (photo.milesAlong === null ? [] : [{ photo, miles: photo.milesAlong }]))
    .toSorted((one, other) => one.miles - other.miles)
  const dots: { photo: Photo; miles: number; imageIds: number[] }[] = []
  for (const { photo, miles } of placed) {
    const last = dots.at(-1)
    if (last && miles - last.miles < minDotGap * lengthMiles) last.imageIds.push(photo.imageID)
    else dots.push({ photo, miles, imageIds: [photo.imageID] })
  }
  return dots
}

/** The dot nearest to the pointer; undefined if none is close enough. */
export function dotAt<Photo>(
  dots: readonly PhotoDot<Photo>[],
  miles: number,
  { lengthMiles }: ProfileFrame,
): PhotoDot<Photo> | undefined {
  let nearest: PhotoDot<Photo> | undefined
  for (const dot of dots) {
    const distance = Math.abs(dot.miles - miles)
    if (distance > minDotGap * lengthMiles) continue
    if (nearest === undefined || distance < Math.abs(nearest.miles - miles)) nearest = dot
  }
  return nearest
}

/** The dot before or after a position, for keyboard navigation from photo to photo. */
export function dotBeside<Photo>(
  dots: readonly PhotoDot<Photo>[],
  miles: number,
  side: 'before' | 'after',
): PhotoDot<Photo> | undefined {
  const tiny = 1e-9
  return side === 'after'
    ? dots.find((dot) => dot.miles > miles + tiny)
    : dots.findLast((dot) => dot.miles < miles - tiny)
}

/** Round numbers in a range, up to a maximum count; 1, 2 or 5 times a power of ten apart. */
export function ticksBetween(from: number, to: number, maxTicks: number): readonly number[] {
  const span = to - from
  if (!(span > 0)) return []
  const power = 10 ** Math.floor(Math.log10(span / maxTicks))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => span / one <= maxTicks) ?? span
  const first = Math.ceil(from / step - 1e-9)
  const count = Math.floor(to / step + 1e-9) - first + 1
  return Array.from({ length: Math.max(0, count) }, (_, at) => Number(((first + at) * step).toPrecision(12)))
}
