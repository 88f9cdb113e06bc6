// Climb and descent out of noisy elevations: averaged over places, then only what exceeds the noise of the file counts
// (decision 0133).

/** Grows by one whenever stored figures are to be computed again. */
export const climbRule = 2

/** Metres. Points this near to the first of them are one place, whose elevation is their mean. */
const placeMetres = 8
/** Metres. Below it barometers waver; above it everything has always counted. */
const [minThreshold, maxThreshold] = [2, 10]
/** How far noise may reach before it counts, in standard deviations: of the steps between places, and at a stop. */
const [deviationsOfSteps, deviationsAtStops] = [4, 4]
/** A place with at least this many points, and this many times more than the usual place, is a stop. */
const [minPointsOfStop, timesUsual] = [8, 5]

export interface ClimbMeter {
  /** A line begins: the gap before it was not walked. */
  readonly startLine: () => void
  /** The next point of the line; its elevation in metres, or NaN, which is passed over. */
  readonly add: (lat: number, lon: number, ele: number) => void
  /**
   * The result of everything that was added; the meter cannot be used again. Both undefined unless a line had two
   * elevations.
   */
  readonly value: () => {
    readonly climbMetres: number | undefined
    readonly descentMetres: number | undefined
  }
}

const metresOfDegree = 111_195
const radiansOfDegree = Math.PI / 180

/** The shorter way around. */
const lonBetween = (from: number, to: number): number => {
  const degrees = to - from
  return degrees > 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees
}

/**
 * 1. Points that lie within 8 m of the first of them are one place. So the noise of a receiver that stands still, or
 *    records every second, is averaged; where points are farther apart, each is a place.
 * 2. The noise is estimated from the whole file: how much the steps from place to place differ (the median, so that
 *    steep ground does not matter), and how much elevations vary at stops, where nothing climbs.
 * 3. Hysteresis: a rise counts, from its lowest place to its highest, once it exceeds a threshold of four times that
 *    noise, from 2 m to 10 m, and it ends where a fall from its highest place exceeds the threshold; a fall likewise.
 */
export function createClimbMeter(): ClimbMeter {
  const places = createColumn()
  /** The index of the first place of each line. */
  const starts: number[] = []
  const stepChanges = createMedian()
  const stops = createStops()
  let hasPair = false
  /** Of the current line. */
  let elevations = 0

  let [firstLat, firstLon, metresOfLonDegree] = [NaN, NaN, NaN]
  let [count, sum, squares, firstEle] = [0, 0, 0, 0]

  const closePlace = (): void => {
    if (count === 0) return
    const mean = sum / count
    const index = places.length
    places.push(firstEle + mean)
    const begin = starts.at(-1) ?? 0
    if (index - begin >= 2)
      stepChanges.add(Math.abs(places.at(index) - 2 * places.at(index - 1) + places.at(index - 2)))
    stops.add(count, Math.max(0, squares - sum * mean))
    count = 0
  }

  return {
    startLine() {
      closePlace()
      elevations = 0
      if (starts.at(-1) !== places.length) starts.push(places.length)
    },
    add(lat, lon, ele) {
      if (Number.isNaN(ele)) return
      elevations += 1
      hasPair ||= elevations === 2
      if (count > 0) {
        const north = (lat - firstLat) * metresOfDegree
        const east = lonBetween(firstLon, lon) * metresOfLonDegree
        if (north * north + east * east >= placeMetres * placeMetres) closePlace()
      }
      if (count === 0) {
        firstLat = lat
        firstLon = lon
        firstEle = ele
        sum = 0
        squares = 0
        metresOfLonDegree = metresOfDegree * Math.cos(lat * radiansOfDegree)
      }
      const height = ele - firstEle // small numbers, so that their squares stay exact
      count += 1
      sum += height
      squares += height * height
    },
    value() {
      closePlace()
      if (!hasPair) return { climbMetres: undefined, descentMetres: undefined }
      const noise = Math.max(
        deviationsOfSteps * stepChanges.value() * deviationOfMedian,
        deviationsAtStops * stops.deviation(),
      )
      const threshold = Math.min(maxThreshold, Math.max(minThreshold, noise))
      let [climbMetres, descentMetres] = [0, 0]
      for (const [line, first] of starts.entries()) {
        const { climb, descent } = climbBeyond(places, first, starts[line + 1] ?? places.length, threshold)
        climbMetres += climb
        descentMetres += descent
      }
      return { climbMetres, descentMetres }
    },
  }
}

/** From the median of a normal distribution to its deviation; and a change of step has the noise of two steps. */
const deviationOfMedian = 1 / 0.6745 / Math.SQRT2

interface Column {
  readonly length: number
  readonly push: (value: number) => void
  readonly at: (index: number) => number
}

function createColumn(): Column {
  let values = new Float64Array(64)
  let length = 0
  return {
    get length() {
      return length
    },
    push(value) {
      if (length === values.length)
        values = new Float64Array(values.buffer.transfer(values.buffer.byteLength * 2))
      values[length] = value
      length += 1
    },
    at: (index) => values[index] ?? NaN,
  }
}

/** Of values from 0, to a centimetre; more than 100 m counts as that. Counted in bins, since a file may have 380,000. */
function createMedian(): { readonly add: (value: number) => void; readonly value: () => number } {
  const binsOfMetre = 100
  const bins = new Uint32Array(100 * binsOfMetre + 1)
  let count = 0
  return {
    add(value) {
      const bin = Math.min(bins.length - 1, Math.round(value * binsOfMetre))
      bins[bin] = (bins[bin] ?? 0) + 1
      count += 1
    },
    value() {
      let before = 0
      for (const [bin, inBin] of bins.entries()) {
        before += inBin
        if (before * 2 > count) return bin / binsOfMetre
      }
      return 0
    },
  }
}

/** The deviation of elevations within places that have many more points than others: there the receiver stood still. */
function createStops() {
  const max = 256
  /** By the number of points of a place. */
  const counts = new Uint32Array(max)
  const squaresOf = new Float64Array(max)
  const pointsOf = new Float64Array(max)
  let places = 0

  const usualCount = (): number => {
    let before = 0
    for (const [points, inBin] of counts.entries()) {
      before += inBin
      if (before * 2 > places) return points
    }
    return 1
  }

  return {
    add(points: number, squares: number): void {
      const bin = Math.min(points, max - 1)
      counts[bin] = (counts[bin] ?? 0) + 1
      squaresOf[bin] = (squaresOf[bin] ?? 0) + squares
      pointsOf[bin] = (pointsOf[bin] ?? 0) + points
      places += 1
    },
    deviation(): number {
      const min = Math.max(minPointsOfStop, timesUsual * usualCount())
      let [squares, points] = [0, 0]
      for (let bin = Math.min(min, max - 1); bin < max; bin += 1) {
        squares += squaresOf[bin] ?? 0
        points += pointsOf[bin] ?? 0
      }
      return points === 0 ? 0 : Math.sqrt(squares / points)
    },
  }
}

/** For one line. Without noise it is exact, except that ups and downs within the threshold do not count. */
function climbBeyond(
  places: Column,
  first: number,
  end: number,
  threshold: number,
): { climb: number; descent: number } {
  let [climb, descent] = [0, 0]
  let direction: 'unknown' | 'up' | 'down' = 'unknown'
  /** Since the last turn: its elevation, and the farthest from there. While unknown: the extremes so far. */
  let [low, high] = [Infinity, -Infinity]

  const finish = (): void => {
    if (direction === 'up') climb += high - low
    if (direction === 'down') descent += high - low
  }

  for (let index = first; index < end; index += 1) {
    const ele = places.at(index)
    if (direction === 'unknown') {
      low = Math.min(low, ele)
      high = Math.max(high, ele)
      if (ele - low > threshold) direction = 'up'
      else if (high - ele > threshold) direction = 'down'
    } else if (direction === 'up') {
      if (high - ele > threshold) {
        finish()
        direction = 'down'
        low = ele
      } else high = Math.max(high, ele)
    } else if (ele - low > threshold) {
      finish()
      direction = 'up'
      high = ele
    } else low = Math.min(low, ele)
  }
  finish()
  return { climb, descent }
}
