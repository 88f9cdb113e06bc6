// Paints the demo photos into src/demo/photos. Run `npm run demo-photos` after a change of a scene or the painter.
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { DemoTrail, Photo } from '../../src/demo/demo-trail.ts'
import { people } from '../../src/demo/people.ts'
import { paintedAt } from '../../src/demo/photo-files.ts'
import { pointOn } from '../../src/demo/story.ts'
import { heronLake } from '../../src/demo/trails/heron-lake.ts'
import { lanternRidge } from '../../src/demo/trails/lantern-ridge.ts'
import { ochreSteps } from '../../src/demo/trails/ochre-steps.ts'
import { tussockSaddle } from '../../src/demo/trails/tussock-saddle.ts'
import { createPhotoPainter } from './paint-photo.ts'
import type { CameraNotes } from './photo-file.ts'
import type { LandScenes } from './scene.ts'
import { heronLake as heronLakeScenes } from './scenes/heron-lake.ts'
import { lanternRidge as lanternRidgeScenes } from './scenes/lantern-ridge.ts'
import { ochreSteps as ochreStepsScenes } from './scenes/ochre-steps.ts'
import { tussockSaddle as tussockSaddleScenes } from './scenes/tussock-saddle.ts'

const folder = path.resolve(import.meta.dirname, '../../src/demo/photos')

const trails: readonly (readonly [DemoTrail, LandScenes])[] = [
  [heronLake, heronLakeScenes],
  [lanternRidge, lanternRidgeScenes],
  [ochreSteps, ochreStepsScenes],
  [tussockSaddle, tussockSaddleScenes],
]

function notesOf(trail: DemoTrail, photo: Photo): CameraNotes {
  const { camera, displayName } = people[photo.by]
  const position = photo.along === undefined ? undefined : pointOn(trail, photo.along)
  return { ...camera, owner: displayName, takenAt: paintedAt, position }
}

await mkdir(folder, { recursive: true })
const paint = createPhotoPainter()
for (const [trail, { land, photos }] of trails)
  for (const photo of trail.photos) {
    const { file, hour } = photo
    const painted = photos[file]
    if (painted === undefined) throw new Error(`There is no scene for ${file}.`)
    const { scene, form = 'jpeg' } = painted
    const bytes = await paint({ land, scene, form, hour, notes: notesOf(trail, photo) })
    await writeFile(path.join(folder, file), bytes)
    process.stdout.write(`${file}: ${bytes.length} bytes\n`)
  }
