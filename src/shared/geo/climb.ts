// Climb and descent out of noisy elevations: only changes of direction beyond a threshold count.

/**
 * Metres. A receiver's elevation wanders by about 5 m to either side, hence by 10 m from one extreme to the
 * other: whatever does not exceed this is taken for noise.
 */
export const climbThresholdMetres = 10

export interface ClimbMeter {
  /** A line begins: what lies between it and the one before was not walked. */
  readonly startLine: () => void
  /** The next elevation of the line, in metres; NaN is passed over. */
  readonly add: (ele: number) => void
  /** Both undefined unless a line held two elevations. */
  readonly value: () => {
    readonly climbMetres: number | undefined
    readonly descentMetres: number | undefined
  }
}

/**
 * Hysteresis: a rise counts, from its lowest point to its highest, once it exceeds the threshold, and it ends
 * where a fall from its highest point exceeds the threshold; a fall likewise.
 *
 * On a profile without noise this is exact but for ups and downs within the threshold, which do not count.
 * With noise of up to 5 m to either side, level ground stays at 0 and a rise of h metres is off by 10 m at
 * most (each end by 5): 10 % at most where rises and falls are of 100 m and more.
 */
export function createClimbMeter(): ClimbMeter {
  let climb = 0
  let descent = 0
  let hasPair = false
  let direction: 'unknown' | 'up' | 'down' = 'unknown'
  /** Since the last turn: where it lay, and the farthest from there. While unknown: the extremes so far. */
  let low = NaN
  let high = NaN

  const finish = (): void => {
    if (direction === 'up') climb += high - low
    if (direction === 'down') descent += high - low
  }

  return {
    startLine() {
      finish()
      direction = 'unknown'
      low = NaN
      high = NaN
    },
    add(ele) {
      if (Number.isNaN(ele)) return
      if (Number.isNaN(low)) {
        low = ele
        high = ele
        return
      }
      hasPair = true
      if (direction === 'unknown') {
        if (ele - low > climbThresholdMetres) direction = 'up'
        else if (high - ele > climbThresholdMetres) direction = 'down'
        low = direction === 'up' ? low : Math.min(low, ele)
        high = direction === 'down' ? high : Math.max(high, ele)
        return
      }
      if (direction === 'up') {
        if (high - ele <= climbThresholdMetres) {
          high = Math.max(high, ele)
          return
        }
        finish()
        direction = 'down'
        low = ele
        return
      }
      if (ele - low <= climbThresholdMetres) {
        low = Math.min(low, ele)
        return
      }
      finish()
      direction = 'up'
      high = ele
    },
    value() {
      finish()
      direction = 'unknown'
      low = NaN
      high = NaN
      return hasPair
        ? { climbMetres: climb, descentMetres: descent }
        : { climbMetres: undefined, descentMetres: undefined }
    },
  }
}
