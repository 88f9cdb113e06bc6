// Threads that paint the photos while others are being stored.
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { PaintJob } from './paint-photo.ts'
import type { PaintAnswer, PaintRequest } from './painter-worker.ts'

/** More would hold more lands in memory and gain little: the photos are stored one by one. */
const mostThreads = 2

export interface Painters {
  /** The file of a job, in whichever order they are asked for. Rejects where painting failed or was ended. */
  file(index: number): Promise<Uint8Array>
  close(): Promise<void>
}

/**
 * Begins to paint the jobs that are wanted, in their order; those of one land on one thread, which then builds it but
 * once.
 */
export function startPainters(jobs: readonly PaintJob[], isWanted: (index: number) => boolean): Painters {
  const lands = [...new Set(jobs.filter((_, index) => isWanted(index)).map(({ land }) => land))]
  const threads = Math.min(mostThreads, availableParallelism(), lands.length)
  const workers = Array.from(
    { length: threads },
    () => new Worker(new URL('./painter-worker.ts', import.meta.url)),
  )
  const files = jobs.map(() => Promise.withResolvers<Uint8Array>())
  for (const { promise } of files) promise.catch(() => undefined) // whoever asks for it hears of it
  const failAll = (error: unknown) => {
    for (const { reject } of files) reject(error)
  }
  for (const worker of workers) {
    worker.on('message', ({ index, bytes }: PaintAnswer) => files[index]?.resolve(bytes))
    worker.on('error', failAll)
    worker.on('exit', () => failAll(new Error('The painting was ended.')))
  }
  for (const [index, job] of jobs.entries()) {
    if (!isWanted(index)) continue
    const request: PaintRequest = { index, job }
    workers[lands.indexOf(job.land) % threads]?.postMessage(request)
  }

  return {
    file: (index) => files[index]?.promise ?? Promise.reject(new RangeError(`there is no photo ${index}`)),
    close: async () => {
      await Promise.all(workers.map((worker) => worker.terminate()))
    },
  }
}
