// The trail itself, as it winds away from the camera.

export interface Path {
  /** Metres to the right of the camera where it begins. */
  readonly aside: number
  /** Metres it drifts to the right for every metre ahead. */
  readonly drift: number
  /** Metres it swings to either side, and metres from bend to bend. */
  readonly swing: number
  readonly bend: number
}

const farthestMetres = 900
const stepsPerMetre = 2
const noTrail = 99

/** @returns how far from the middle of the trail a point is, in metres, by what is ahead and what is to the right. */
export function measurePath(path: Path | undefined): (ahead: number, right: number) => number {
  if (!path) return () => noTrail
  const { aside, drift, swing, bend } = path
  const middle = Float32Array.from({ length: farthestMetres * stepsPerMetre + 1 }, (_, step) => {
    const ahead = step / stepsPerMetre
    return (
      aside + drift * ahead + swing * (1 - Math.exp(-ahead / 40)) * Math.sin((2 * Math.PI * ahead) / bend)
    )
  })
  return (ahead, right) =>
    ahead < farthestMetres ? Math.abs(right - (middle[Math.round(ahead * stepsPerMetre)] ?? 0)) : noTrail
}
