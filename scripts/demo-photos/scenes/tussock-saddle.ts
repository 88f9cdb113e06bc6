// The scenes of Tussock Saddle Track: camera positions and lighting.
import type { LandScenes } from '../scene.ts'

export const tussockSaddle: LandScenes = {
  land: 'fjord',
  photos: {
    'tussock-saddle-1.jpg': {
      scene: { from: [6544, 7102, 107], sunAside: 110, size: [1600, 1067] },
    },
    'tussock-saddle-2.jpg': {
      scene: {
        from: [6397, 620, 166],
        sunAside: -100,
        size: [1280, 853],
        path: { aside: 0.6, drift: -0.06, swing: 3, bend: 80 },
      },
    },
    'tussock-saddle-3.jpg': {
      scene: {
        from: [2872, 3403, 279],
        sunAside: 8,
        size: [1280, 853],
        light: { sunElevation: 8 },
      },
    },
    'tussock-saddle-4.jpg': {
      scene: {
        from: [1087, 8838, 249],
        sunAside: 75,
        size: [1280, 853],
        snowline: 420,
        light: { mist: 0.2 },
      },
    },
    'tussock-saddle-5.jpg': {
      scene: {
        from: [7873, 1430, 359],
        sunAside: -12,
        size: [853, 1280],
        horizon: 0.5,
      },
    },
    'tussock-saddle-6.jpg': {
      scene: {
        from: [3377, 6074, 315],
        sunAside: 60,
        size: [1280, 853],
        path: { aside: 0.6, drift: 0.03, swing: 3, bend: 80 },
      },
    },
    'tussock-saddle-7.jpg': {
      scene: {
        from: [5609, 7671, 54],
        sunAside: 175,
        size: [1280, 853],
        horizon: 0.66,
        seed: 3,
      },
    },
  },
}
