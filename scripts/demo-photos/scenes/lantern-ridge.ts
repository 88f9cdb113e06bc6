// The scenes of Lantern Ridge Trail: camera positions and lighting.
import type { LandScenes } from '../scene.ts'

export const lanternRidge: LandScenes = {
  land: 'alps',
  photos: {
    'lantern-ridge-1.jpg': {
      scene: {
        from: [6218, 6431, 292],
        sunAside: -80,
        size: [1600, 1067],
        path: { aside: 0.5, drift: 0.02, swing: 3, bend: 80 },
      },
    },
    'lantern-ridge-2.jpg': {
      scene: {
        from: [6119, 6662, 357],
        sunAside: 18,
        size: [1280, 853],
        path: { aside: -0.8, drift: -0.1, swing: 2.5, bend: 60 },
      },
    },
    'lantern-ridge-3.jpg': {
      scene: { from: [4111, 4319, 229], sunAside: 155, size: [1280, 853] },
    },
    'lantern-ridge-4.jpg': {
      form: 'sideways',
      scene: {
        from: [1512, 6946, 327],
        sunAside: 60,
        size: [853, 1280],
        fieldOfView: 48,
        horizon: 0.56,
      },
    },
    'lantern-ridge-5.jpg': {
      scene: { from: [1657, 3849, 255], sunAside: 75, size: [1280, 853] },
    },
    'lantern-ridge-6.jpg': {
      scene: {
        from: [7184, 1537, 290],
        sunAside: 70,
        size: [2200, 760],
        fieldOfView: 96,
        horizon: 0.5,
        seed: 4,
      },
    },
    'lantern-ridge-7.jpg': {
      scene: { from: [6993, 5437, 349], sunAside: 160, size: [1280, 853], horizon: 0.72 },
    },
    'lantern-ridge-8.jpg': {
      form: 'blurred',
      scene: { from: [6119, 6662, 340], sunAside: 30, size: [640, 427], lift: 0.6 },
    },
  },
}
