// Gives the worker its orders, one after the other, and hands back what it found.
import type { CheckedPhoto } from './check-photo.ts'
import type { Conversion } from './convert-photo.ts'
import type { WorkOrder, WorkResult } from './photo-worker.ts'

type Asked =
  | { readonly kind: 'check'; readonly file: Blob }
  | { readonly kind: 'convert'; readonly conversion: Conversion }

interface Job {
  readonly asked: Asked
  readonly resolve: (result: WorkResult) => void
}

/** A picture that takes this long takes the worker with it: a new one goes on with the next. */
const maxMs = 60_000

export function createPhotoWork() {
  const jobs: Job[] = []
  let worker: Worker | undefined
  let isBusy = false
  let number = 0

  function end(): void {
    worker?.terminate()
    worker = undefined
  }

  /** One at a time: each holds a whole decoded picture, which may be 400 MB. */
  async function run(job: Job): Promise<WorkResult> {
    number += 1
    const order: WorkOrder = { number, ...job.asked }
    worker ??= new Worker(new URL('./photo-worker.ts', import.meta.url), { type: 'module' })
    const present = worker
    return new Promise((resolve) => {
      const failed = (): void => {
        clearTimeout(timer)
        end()
        resolve({ number: order.number, kind: 'failed' })
      }
      const timer = setTimeout(failed, maxMs)
      const listened = new AbortController()
      const { signal } = listened
      present.addEventListener('error', failed, { signal })
      present.addEventListener(
        'message',
        ({ data }: MessageEvent<WorkResult>) => {
          clearTimeout(timer)
          listened.abort()
          resolve(data)
        },
        { signal },
      )
      present.postMessage(order)
    })
  }

  async function next(): Promise<void> {
    if (isBusy) return
    isBusy = true
    for (let job = jobs.shift(); job; job = jobs.shift()) job.resolve(await run(job))
    isBusy = false
  }

  const order = (asked: Asked): Promise<WorkResult> =>
    new Promise((resolve) => {
      jobs.push({ asked, resolve })
      void next()
    })

  return {
    /** @returns 'failed' where the file could not be read; undefined for what is no photo. */
    check: async (file: Blob): Promise<CheckedPhoto | 'failed' | undefined> => {
      const result = await order({ kind: 'check', file })
      return result.kind === 'check' ? result.checked : 'failed'
    },
    /** @returns undefined where it cannot be done. */
    convert: async (conversion: Conversion): Promise<Blob | undefined> => {
      const result = await order({ kind: 'convert', conversion })
      return result.kind === 'convert' ? result.converted : undefined
    },
    end,
  }
}

export type PhotoWork = ReturnType<typeof createPhotoWork>
