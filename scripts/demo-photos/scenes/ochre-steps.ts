// The scenes of Ochre Steps Trail: camera positions and lighting.
import type { LandScenes } from '../scene.ts'

export const ochreSteps: LandScenes = {
  land: 'canyon',
  photos: {
    'ochre-steps-1.jpg': {
      scene: { from: [8473, 4420, 119], sunAside: -115, size: [1600, 1067] },
    },
    'ochre-steps-2.jpg': {
      scene: {
        from: [9162, 4825, 102],
        sunAside: -70,
        size: [1280, 853],
        path: { aside: 0.4, drift: 0.05, swing: 2, bend: 60 },
      },
    },
    'ochre-steps-3.jpg': {
      scene: { from: [8344, 5066, 66], sunAside: -130, size: [1280, 853] },
    },
    'ochre-steps-4.jpg': {
      scene: { from: [8035, 8519, 51], sunAside: -60, size: [960, 1280], horizon: 0.5 },
    },
    'ochre-steps-5.jpg': {
      scene: { from: [5762, 1559, 194], sunAside: 25, size: [1280, 853] },
    },
    'ochre-steps-6.png': {
      form: 'badge',
      scene: { from: [5891, 8314, 344], sunAside: -140, size: [512, 512], horizon: 0.5 },
    },
  },
}
