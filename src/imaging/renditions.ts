// The pool that works on images: one job per core, a bounded queue, and a clear no when it is full.
import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import { refuse, type Refusal } from '../errors.ts'
import type { Examined, Outcome } from './rendition-worker.ts'

export type { Examined, MadeRendition } from './rendition-worker.ts'

const queueLength = 64
const retryAfterSeconds = 5

export interface RenditionsOptions {
  /** Jobs at once; by default one per core. */
  readonly jobs?: number
  /** Jobs that may wait. */
  readonly queue?: number
}

function busy(detail: string, cause?: unknown): Refusal {
  return refuse('busy', { detail, headers: { 'Retry-After': String(retryAfterSeconds) }, cause })
}

export function createRenditions({
  jobs = availableParallelism(),
  queue = queueLength,
}: RenditionsOptions = {}) {
  const pool = new Piscina<Uint8Array, Outcome>({
    filename: new URL('./rendition-worker.ts', import.meta.url).href,
    name: 'examine',
    minThreads: 0,
    maxThreads: jobs,
    maxQueue: queue,
    idleTimeout: 30_000,
  })
  let started = 0

  return {
    /** Decodes begun since the start: what a test counts. */
    jobsStarted: () => started,

    /**
     * Validates an upload and makes all its renditions, from one decode.
     * @throws refusals `unsupported-image-type`, `image-dimensions-too-large`, `broken-image`, `busy`.
     */
    examine: async (bytes: Uint8Array): Promise<Examined> => {
      if (pool.queueSize >= queue) throw busy('Too many images are being worked on.')
      started += 1
      const outcome = await pool.run(bytes).catch((error: unknown) => {
        throw busy('The work on the image was cut off.', error) // a worker ran out of memory, or the server stops
      })
      if (!outcome.ok) throw refuse(outcome.code, { detail: outcome.detail, cause: outcome.fault })
      return outcome.examined
    },

    close: () => pool.destroy(),
  }
}

export type Renditions = ReturnType<typeof createRenditions>
