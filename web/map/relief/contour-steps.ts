// How far apart contour lines are: less the nearer one looks, in round numbers of the units that a person prefers.
import type { MapLook } from '../style/look.ts'

type Units = MapLook['units']

export const perMetre: Readonly<Record<Units, number>> = { kilometres: 1, miles: 1 / 0.3048 }

interface Steps {
  readonly fromZoom: number
  /** Between two lines, and between two strong ones: every fifth, which has its height written on it. */
  readonly apart: readonly [number, number]
}

/** From near to far, by the zoom of a tile. */
const steps: Readonly<Record<Units, readonly Steps[]>> = {
  kilometres: [
    { fromZoom: 15, apart: [10, 50] },
    { fromZoom: 13, apart: [20, 100] },
    { fromZoom: 12, apart: [50, 250] },
    { fromZoom: 11, apart: [100, 500] },
    { fromZoom: 0, apart: [200, 1_000] },
  ],
  miles: [
    { fromZoom: 15, apart: [40, 200] },
    { fromZoom: 13, apart: [100, 500] },
    { fromZoom: 12, apart: [200, 1_000] },
    { fromZoom: 11, apart: [500, 2_500] },
    { fromZoom: 0, apart: [1_000, 5_000] },
  ],
}

export const contourSteps = (units: Units, zoom: number): readonly [number, number] =>
  steps[units].find(({ fromZoom }) => zoom >= fromZoom)?.apart ?? [200, 1_000]
