// Paints one demo photo, and returns it as an uploaded file.
import type { Hour } from '../../src/demo/demo-trail.ts'
import { develop } from './paint/develop.ts'
import { growForest } from './paint/forest.ts'
import { landLooks } from './paint/lands.ts'
import { blendLights, hours, type Light } from './paint/light.ts'
import { createNoise } from './paint/noise.ts'
import { paintPicture } from './paint/picture.ts'
import { buildTerrain, type LandName } from './paint/terrain.ts'
import type { Frame, Land } from './paint/view.ts'
import type { PhotoForm, Scene } from './scene.ts'
import { badgeFile, gifFile, jpegFile, oldBmpFile, type CameraNotes, type Picture } from './photo-file.ts'

export interface PaintJob {
  readonly land: LandName
  readonly scene: Scene
  readonly form: PhotoForm
  readonly hour: Hour
  readonly notes: CameraNotes
}

/** Painted at this scale, then enlarged: it is not visible and halves the work. */
const paintedShare = 0.7
const sunsetFrames = 8
const frameMs = 350

function sizeOf({ scene }: PaintJob, share: number): Frame {
  const [width, height] = scene.size
  return { width: Math.round(width * share), height: Math.round(height * share) }
}

export function createPhotoPainter() {
  const noise = createNoise()
  const lands = new Map<LandName, Land>()

  function landOf(name: LandName): Land {
    const known = lands.get(name)
    if (known) return known
    const terrain = buildTerrain(name)
    const { woods, meadow } = landLooks[name]
    const land = { terrain, forest: growForest(terrain, woods, noise), meadow }
    lands.set(name, land)
    return land
  }

  function pictureOf({ land, scene }: PaintJob, hour: Light, { width, height }: Frame): Picture {
    const [x, y, heading] = scene.from
    const light: Light = { ...hour, sunAzimuth: heading + scene.sunAside, ...scene.light }
    const { lift = 2.4, horizon = 0.45, fieldOfView = width > height ? 62 : 46, seed = 1, path } = scene
    const camera = { x, y, heading, lift, horizon, fieldOfView, ...(path ? { path } : {}) }
    const { cover } = landLooks[land]
    const { snowline = cover.snowline } = scene
    const shot = { camera, light, seed, width, height }
    const pixels = paintPicture(landOf(land), { ...cover, snowline }, noise, shot)
    return { bytes: develop(pixels, shot, light.exposure), width, height }
  }

  const jpegOf = (job: PaintJob, size: Frame): Promise<Buffer> => {
    const { form, notes } = job
    const picture = pictureOf(job, hours[job.hour], sizeOf(job, paintedShare))
    const [isSideways, isBlurred] = [form === 'sideways', form === 'blurred']
    return jpegFile(picture, { ...size, notes, isSideways, isBlurred })
  }

  const sunsetOf = (job: PaintJob, size: Frame): Picture[] =>
    Array.from({ length: sunsetFrames }, (_, frame) =>
      pictureOf(job, blendLights(hours.golden, hours.dusk, frame / (sunsetFrames - 1)), size),
    )

  return async (job: PaintJob): Promise<Uint8Array> => {
    const { form } = job
    const size = sizeOf(job, 1)
    switch (form) {
      case 'badge':
        return badgeFile(pictureOf(job, hours[job.hour], size))
      case 'sunset-gif':
        return gifFile(sunsetOf(job, size), frameMs)
      case 'old-bmp':
        return oldBmpFile(pictureOf(job, hours[job.hour], size))
      case 'jpeg':
      case 'sideways':
      case 'blurred':
        return jpegOf(job, size)
    }
  }
}
