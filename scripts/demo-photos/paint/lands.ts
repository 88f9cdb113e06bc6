// The four landscapes of the demo: surfaces and vegetation.
import type { Woods } from './forest.ts'
import type { Cover } from './ground.ts'
import type { Meadow } from './meadow.ts'
import type { LandName } from './terrain.ts'

export interface LandLook {
  readonly woods: Woods
  readonly meadow: Meadow
  readonly cover: Cover
}

const never = 9_000

export const landLooks: Readonly<Record<LandName, LandLook>> = {
  alps: {
    woods: { from: 0, treeline: 1_050, steepest: 1.1, amount: 0.25, crown: 'spire', tallest: 22 },
    meadow: { share: 0.8, tallest: 0.3 },
    cover: {
      rock: [0.36, 0.34, 0.33],
      darkRock: [0.17, 0.165, 0.17],
      soil: [0.26, 0.23, 0.18],
      grass: [0.1, 0.17, 0.045],
      dryGrass: [0.24, 0.24, 0.09],
      sand: [0.36, 0.34, 0.3],
      flowers: [
        [0.85, 0.85, 0.8],
        [0.9, 0.7, 0.1],
        [0.6, 0.2, 0.5],
      ],
      leaves: [
        [0.035, 0.075, 0.03],
        [0.045, 0.085, 0.035],
        [0.03, 0.06, 0.032],
      ],
      snowline: 1_750,
      layer: 0,
      greenFrom: 0.74,
    },
  },
  lake: {
    woods: { from: 0, treeline: never, steepest: 1.4, amount: 0.75, crown: 'dome', tallest: 16 },
    meadow: { share: 0.6, tallest: 0.26 },
    cover: {
      rock: [0.3, 0.29, 0.28],
      darkRock: [0.14, 0.13, 0.12],
      soil: [0.2, 0.15, 0.09],
      grass: [0.16, 0.17, 0.05],
      dryGrass: [0.34, 0.26, 0.1],
      sand: [0.2, 0.165, 0.115],
      flowers: [
        [0.8, 0.4, 0.08],
        [0.7, 0.55, 0.1],
        [0.6, 0.15, 0.04],
      ],
      leaves: [
        [0.42, 0.11, 0.02],
        [0.5, 0.2, 0.025],
        [0.52, 0.3, 0.04],
        [0.3, 0.07, 0.025],
        [0.2, 0.17, 0.03],
        [0.07, 0.1, 0.03],
      ],
      snowline: never,
      layer: 0,
      greenFrom: 0.6,
    },
  },
  canyon: {
    woods: { from: 0, treeline: never, steepest: 0.45, amount: -0.1, crown: 'dome', tallest: 4 },
    meadow: { share: 0.1, tallest: 0.22 },
    cover: {
      rock: [0.47, 0.19, 0.09],
      darkRock: [0.27, 0.1, 0.05],
      soil: [0.5, 0.27, 0.15],
      grass: [0.26, 0.19, 0.09],
      dryGrass: [0.44, 0.25, 0.13],
      sand: [0.5, 0.32, 0.2],
      flowers: [],
      leaves: [
        [0.08, 0.1, 0.045],
        [0.11, 0.12, 0.06],
      ],
      snowline: never,
      layer: 22,
      greenFrom: 0.9,
    },
  },
  fjord: {
    woods: { from: 0, treeline: 620, steepest: 1.2, amount: 0.15, crown: 'spire', tallest: 18 },
    meadow: { share: 0.85, tallest: 0.45 },
    cover: {
      rock: [0.27, 0.275, 0.28],
      darkRock: [0.12, 0.125, 0.13],
      soil: [0.2, 0.19, 0.14],
      grass: [0.09, 0.16, 0.06],
      dryGrass: [0.22, 0.22, 0.09],
      sand: [0.4, 0.37, 0.31],
      flowers: [[0.8, 0.75, 0.4]],
      leaves: [
        [0.03, 0.07, 0.035],
        [0.05, 0.09, 0.04],
      ],
      snowline: 1_050,
      layer: 0,
      greenFrom: 0.7,
    },
  },
}
