// The scenes of Heron Lake Loop: camera positions and lighting.
import type { LandScenes } from '../scene.ts'

export const heronLake: LandScenes = {
  land: 'lake',
  photos: {
    'heron-lake-1.jpg': {
      scene: {
        from: [7093, 4976, 355],
        sunAside: -95,
        size: [1600, 1067],
        path: { aside: 0.6, drift: 0.03, swing: 3, bend: 80 },
      },
    },
    'heron-lake-2.jpg': {
      scene: { from: [1413, 6866, 157], sunAside: 12, size: [1280, 853], lift: 6 },
    },
    'heron-lake-3.jpg': {
      scene: {
        from: [3051, 3447, 106],
        sunAside: 12,
        size: [1280, 853],
        path: { aside: 0.6, drift: 0.08, swing: 3, bend: 70 },
      },
    },
    'heron-lake-4.jpg': {
      scene: { from: [666, 1611, 169], sunAside: -120, size: [1280, 853] },
    },
    'heron-lake-5.jpg': {
      scene: {
        from: [6333, 991, 4],
        sunAside: 60,
        size: [1280, 853],
        path: { aside: 0.6, drift: 0.02, swing: 3, bend: 80 },
      },
    },
    'heron-lake-6.gif': {
      form: 'sunset-gif',
      scene: { from: [3051, 3447, 100], sunAside: 40, size: [320, 213] },
    },
    'heron-lake-7.bmp': {
      form: 'old-bmp',
      scene: { from: [1088, 907, 309], sunAside: 70, size: [640, 427] },
    },
    'heron-lake-8.jpg': {
      scene: { from: [7551, 1459, 70], sunAside: -60, size: [853, 1280], horizon: 0.4 },
    },
  },
}
