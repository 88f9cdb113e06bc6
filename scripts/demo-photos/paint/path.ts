// The trail as it winds away from the camera.

export interface Path {
  /** Metres to the right of the camera at the start. */
  readonly aside: number
  /** Metres of drift to the right per metre ahead. */
  readonly drift: number
  /** Metres of swing to either side, and metres between bends. */
  readonly swing: number
  readonly bend: number
}

const farthestMetres = 900
const stepsPerMetre = 2
const noTrail = 99

/** @returns a function that returns the distance of a point from the trail's centre, in metres. */
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
