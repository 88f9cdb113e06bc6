// Wraps the real blob store and makes one chosen call fail.
import type { Blobs, StagedBlob } from '../../src/storage/port.ts'

export interface Fault {
  /** Number of the call that fails, counted from 1. */
  readonly at: number
  /** Whether the call takes effect before it fails, as when only the store's response is lost. */
  readonly isDone: boolean
  /** Error code, such as EIO. */
  readonly code: string
}

export interface FaultyBlobs {
  readonly wrap: (blobs: Blobs) => Blobs
  /** Counts calls from now on, and fails the chosen one. */
  arm(fault: Fault): void
  /**
   * Stops counting.
   * @returns the name of the call that failed, if any.
   */
  disarm(): string | undefined
}

export function createFaultyBlobs(): FaultyBlobs {
  let fault: Fault | undefined
  let calls = 0
  let failed: string | undefined

  async function call<T>(name: string, work: () => Promise<T>): Promise<T> {
    calls += 1
    if (!fault || calls !== fault.at) return work()
    failed = name
    if (fault.isDone) await work()
    throw Object.assign(new Error(`${fault.code}: a fault that a test made, ${name}`), { code: fault.code })
  }

  const wrapStaged = (staged: StagedBlob): StagedBlob => ({
    ...staged,
    readInto: (memory, from) => call('read staged', () => staged.readInto(memory, from)),
    keep: (key) => call('keep', () => staged.keep(key)),
  })

  return {
    wrap: (blobs) => ({
      ...blobs,
      receive: async (source, limit) => {
        const staged = await blobs.receive(source, limit)
        // Staging comes first. If it fails, only the temporary file is left to check.
        return call('receive', async () => staged && wrapStaged(staged)).catch(async (error: unknown) => {
          await staged?.discard()
          throw error
        })
      },
      put: (key, bytes, durability) => call('put', () => blobs.put(key, bytes, durability)),
      has: (key) => call('has', () => blobs.has(key)),
      read: (key) => call('read', () => blobs.read(key)),
      readPart: (key, start, bytes) => call('read', () => blobs.readPart(key, start, bytes)),
      open: (key, options) => call('open', () => blobs.open(key, options)),
      remove: (key) => call('remove', () => blobs.remove(key)),
      removeAll: (keys, mayGoOn) => call('removeAll', () => blobs.removeAll(keys, mayGoOn)),
    }),
    arm: (next) => {
      fault = next
      calls = 0
      failed = undefined
    },
    disarm: () => {
      fault = undefined
      return failed
    },
  }
}
