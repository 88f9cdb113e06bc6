// The interval of contour lines: smaller at high zoom, in round numbers of the user's units.
import type { MapLook } from '../style/look.ts'

type Units = MapLook['units']

export const perMetre: Readonly<Record<Units, number>> = { kilometres: 1, miles: 1 / 0.3048 }

/**
 * The property of a line that holds its height. It names the unit, so that a label is right also while lines in other units
 * are still drawn.
 */
export const heightProperty = { kilometres: 'metres', miles: 'feet' } as const satisfies Record<Units, string>

interface Steps {
  readonly fromZoom: number
  /** The interval of all lines, and of index contours: every fifth, labelled with its elevation. */
  readonly apart: readonly [number, number]
}

/** From high to low zoom of a tile. */
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
