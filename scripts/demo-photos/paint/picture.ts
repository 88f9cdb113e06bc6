// One picture: finds what the camera sees, paints sky, land and water, and applies the air.
import { createAir } from './air.ts'
import { newPaint, type Rgb } from './colour.ts'
import { createGround, type Cover, type Spot } from './ground.ts'
import { sunDirection, type Light } from './light.ts'
import { clamp, mix, newProbe, type Noise } from './noise.ts'
import { measurePath } from './path.ts'
import { createSky, type Direction } from './sky.ts'
import { readLevel, type Place } from './terrain.ts'
import { farthestTuft, look, surfaces, type Camera, type Frame, type Land } from './view.ts'

export interface Shot extends Frame {
  readonly camera: Camera
  readonly light: Light
  /** Determines the clouds. */
  readonly seed: number
}

const deepWater: Rgb = [0.012, 0.045, 0.055]

/** @returns linear light, three numbers per pixel. */
export function paintPicture(land: Land, cover: Cover, noise: Noise, shot: Shot): Float32Array {
  const { camera, light, seed, width, height } = shot
  const { depth, surface, eye, horizonRow, focal, ahead, right } = look(land, camera, shot)
  const sun = sunDirection(light)
  const sky = createSky(light, noise, seed)
  const ground = createGround(land, cover, light, noise)
  const air = createAir(light, noise, eye - camera.lift + light.mistTop)
  const fromPath = measurePath(camera.path)
  const pixels = new Float32Array(width * height * 3)
  const paint = newPaint()
  const direction: Direction = { east: 0, south: 0, up: 0 }
  const spot: Spot = { kind: 0, x: 0, y: 0, z: 0, base: 0, distance: 0, towardsSun: 0, fromTrail: 0 }
  const foot: Place = { x: 0, y: 0, level: 0 }
  const ripples = newProbe()
  const deepLight = (channel: 0 | 1 | 2) =>
    deepWater[channel] * (0.3 + 2 * light.zenith[channel] + 0.2 * light.sun[channel])
  const deep: Rgb = [deepLight(0), deepLight(1), deepLight(2)]

  /** @returns the index in `pixels` of the reflected point, or −1 if only sky is reflected. */
  function findMirrored(row: number, column: number): number {
    ripples.x = spot.x * 3.1
    ripples.y = spot.y * 3.1
    noise.read(ripples)
    const small = ripples.value
    ripples.x = spot.x * 0.35
    ripples.y = spot.y * 0.35
    noise.read(ripples)
    const ripple = 0.6 * small + 0.8 * ripples.value
    const amount = ((0.013 * height) / (1 + spot.distance / 900)) * (0.25 + 4 * Math.abs(direction.up))
    const mirrorRow = Math.round(2 * horizonRow - row + ripple * amount)
    const mirrorColumn = clamp(Math.round(column + 0.3 * ripple * amount), 0, width - 1)
    const source = mirrorRow * width + mirrorColumn
    return mirrorRow >= 0 && mirrorRow < row && surface[source] !== surfaces.water ? source * 3 : -1
  }

  function paintWater(row: number, column: number): void {
    direction.up = Math.abs(direction.up)
    const source = findMirrored(row, column)
    if (source >= 0) {
      paint.red = pixels[source] ?? 0
      paint.green = pixels[source + 1] ?? 0
      paint.blue = pixels[source + 2] ?? 0
    } else sky.at(direction, paint)
    const grazing = 1 - direction.up
    const share = 0.12 + 0.85 * grazing * grazing * grazing * grazing
    paint.red = mix(deep[0], paint.red, share)
    paint.green = mix(deep[1], paint.green, share)
    paint.blue = mix(deep[2], paint.blue, share)
    spot.distance *= 0.6 // the reflection already includes its haze
    air.over(paint, spot)
  }

  function baseOf({ x, y }: Spot): number {
    foot.x = x
    foot.y = y
    readLevel(land.terrain, foot)
    return foot.level
  }

  function paintLand(side: number, far: number): void {
    spot.fromTrail = fromPath(far, side * far)
    const isAboveGround = spot.kind === surfaces.tree || far < farthestTuft
    spot.base = isAboveGround ? baseOf(spot) : spot.z
    ground.at(spot, paint)
    air.over(paint, spot)
  }

  function paintRow(row: number): void {
    const rise = (horizonRow - row) / focal
    for (let column = 0; column < width; column += 1) {
      const index = row * width + column
      const side = (column + 0.5 - width / 2) / focal
      const stepX = ahead[0] + right[0] * side
      const stepY = ahead[1] + right[1] * side
      const length = Math.sqrt(1 + side * side + rise * rise)
      const far = depth[index] ?? 0
      direction.east = stepX / length
      direction.south = stepY / length
      direction.up = rise / length
      spot.kind = surface[index] ?? 0
      spot.x = camera.x + stepX * far
      spot.y = camera.y + stepY * far
      spot.z = eye + rise * far
      spot.distance = far * length
      spot.towardsSun = direction.east * sun[0] + direction.south * sun[1] + direction.up * sun[2]
      if (spot.kind === surfaces.sky) sky.at(direction, paint)
      else if (spot.kind === surfaces.water) paintWater(row, column)
      else paintLand(side, far)
      pixels[index * 3] = paint.red
      pixels[index * 3 + 1] = paint.green
      pixels[index * 3 + 2] = paint.blue
    }
  }

  // From the top, since what water reflects is above it and must be painted first.
  for (let row = 0; row < height; row += 1) paintRow(row)
  return pixels
}
