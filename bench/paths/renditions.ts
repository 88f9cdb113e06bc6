// Renditions of 12-megapixel photos without a cache: everything an upload generates, compared with a bare decode and with
// ipx.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import type { Absent, BenchPath, Contender, Ground, Slice } from '../parts/bench.ts'
import { watchChild } from '../parts/child.ts'
import { measureCpu } from '../parts/cpu.ts'
import { startLoad, type Load } from '../parts/load.ts'
import { cameraSize, paintPhotos } from '../parts/photos.ts'
import type { Worked } from '../parts/rendition-work.ts'

const photoCount = 12
const quality = 90
/** A photo takes 0.1 s. */
const sliceMs = 3_000
const viewsInFlight = 8
const sizesViewed = 4
const ipxName = 'ipx'

interface WorkOptions {
  readonly name: string
  readonly work: 'bare' | 'jpegs' | 'upload' | 'all'
  readonly inFlight: number
  /** Weight of one photo. */
  readonly worth: number
}

/** Work in its own process. The CPU of all its descendants counts. */
async function startWork(ground: Ground, files: readonly string[], options: WorkOptions): Promise<Contender> {
  const { name, work, inFlight, worth } = options
  const child = fork(path.join(import.meta.dirname, '../parts/rendition-work.ts'), [
    work,
    String(inFlight),
    ...files,
  ])
  const { pid, death } = watchChild(child, name, () => '')

  async function slice(ms: number): Promise<Slice> {
    const cpu = measureCpu([pid])
    const over = new AbortController()
    child.send(ms)
    const [worked] = (await Promise.race([
      once(child, 'message', { signal: over.signal }),
      once(child, 'exit', { signal: over.signal }).then(() => Promise.reject(new Error(death()))),
    ])) as [Worked]
    over.abort()
    return { done: worked.done * worth, wallMs: worked.wallMs, cpuUs: cpu() }
  }
  await slice(ground.isQuick ? 1 : 1_000)
  return { name, slice }
}

/** The same photos, with each view decoded again, as in ipx without a cache in front. */
async function startIpxViews(
  ground: Ground,
  load: Load,
  files: readonly string[],
): Promise<Contender | Absent> {
  if (ground.isQuick) return { name: ipxName, absent: 'this is only a try.' }
  // Imported lazily: its dependencies are installed separately, or not at all.
  const { ipxModifiers, startIpx } = await import('../peers/ipx.ts')
  const started = await startIpx(ground, path.dirname(files[0] ?? ''))
  if ('absent' in started) return started
  const { port, pids, death, view } = started
  const asks = files.flatMap((file) =>
    Object.values(ipxModifiers).map((modifiers) => ({ path: view(path.basename(file), modifiers) })),
  )
  const target = { name: ipxName, port, pids, death, asks, connections: viewsInFlight }
  return load.contender(target)
}

async function writePhotos({ folder, isQuick, note }: Ground): Promise<string[]> {
  const photos = await paintPhotos(isQuick ? 2 : photoCount, cameraSize, quality)
  const into = path.join(folder, 'photos')
  await mkdir(into)
  const megabytes = photos.reduce((sum, { length }) => sum + length, 0) / photos.length / 1e6
  note(`The photos have ${megabytes.toFixed(1)} MB and 12 megapixels each.`)
  return Promise.all(
    photos.map(async (photo, index) => {
      const file = path.join(into, `${index}.jpg`)
      await writeFile(file, photo)
      return file
    }),
  )
}

export const renditionsPath: BenchPath = {
  name: 'renditions',
  about: 'all that an upload makes of a photo of 12 megapixels, against a bare decode and against ipx',
  prepare: async (ground) => {
    const { note } = ground
    const files = await writePhotos(ground)
    note(
      'The bare decode is sharp to raw pixels at a scale of ¼ within the decoder, of the file as it came; libjpeg alone, in C, takes about four fifths of that.',
    )
    note(
      'All that an upload makes: lg stripped, sm, 150, md and 640 as JPEG, what WebP is made of, a dHash and six digests, by the pool of the server with the way to its process. With WebP: the same, and what the first view of WebP has made. As JPEG: the same without what WebP is made of, in one process.',
    )
    note(
      `Views: ${viewsInFlight} in flight, four sizes of each photo. ipx decodes for each view; we make all four when the photo comes, and WebP at its first view: both are counted, and a view after that is one of the path view.`,
    )
    const load = startLoad(ground)
    const alone = { inFlight: 1, worth: 1 }
    const [bare, jpegs, upload, all] = [
      'bare decode at ¼',
      'ours, four sizes as JPEG',
      'ours, all that an upload makes',
      'ours, with WebP',
    ] as const
    const work = [
      await startWork(ground, files, { ...alone, name: bare, work: 'bare' }),
      await startWork(ground, files, { ...alone, name: jpegs, work: 'jpegs' }),
      await startWork(ground, files, { ...alone, name: upload, work: 'upload' }),
      await startWork(ground, files, { ...alone, name: all, work: 'all' }),
    ]
    const pool = `ours, ${availableParallelism()} jobs at once`
    const pooled = { name: pool, work: 'all', inFlight: viewsInFlight, worth: sizesViewed } as const
    const views = [await startWork(ground, files, pooled), await startIpxViews(ground, load, files)]
    return {
      cases: [
        {
          name: 'work on one photo',
          contenders: work,
          goals: [
            { what: 'all that an upload makes', of: upload, to: bare, figure: 'cpu', atMost: 1.25 },
            { what: 'the same with WebP', of: all, to: bare, figure: 'cpu' },
            { what: 'four sizes, as JPEG alone', of: jpegs, to: bare, figure: 'cpu', atMost: 1.4 },
          ],
          sliceMs,
        },
        {
          name: 'cold views',
          contenders: views,
          goals: [{ what: 'views of four sizes', of: pool, to: ipxName, figure: 'rate', atLeast: 2.5 }],
          sliceMs,
        },
      ],
      close: () => load.close(),
    }
  },
}
