// Puts something around every call of a store, such as a clock or the step of a trace.
import type { Blobs, StagedBlob } from './port.ts'

export type BlobCall = 'receive' | 'keep' | 'put' | 'read' | 'open' | 'has' | 'remove'
export type AroundCall = <T>(call: BlobCall, work: () => Promise<T>) => Promise<T>

export function watchBlobs(blobs: Blobs, around: AroundCall): Blobs {
  const watchStaged = (staged: StagedBlob): StagedBlob => ({
    ...staged,
    keep: (key) => around('keep', () => staged.keep(key)),
  })
  return {
    ...blobs,
    receive: async (source, limitBytes) => {
      const staged = await around('receive', () => blobs.receive(source, limitBytes))
      return staged && watchStaged(staged)
    },
    put: (key, bytes, durability) => around('put', () => blobs.put(key, bytes, durability)),
    read: (key) => around('read', () => blobs.read(key)),
    readPart: (key, start, bytes) => around('read', () => blobs.readPart(key, start, bytes)),
    open: (key, options) => around('open', () => blobs.open(key, options)),
    has: (key) => around('has', () => blobs.has(key)),
    remove: (key) => around('remove', () => blobs.remove(key)),
    removeAll: async (keys, mayGoOn) => {
      let failed: ReadonlyMap<string, Error> = new Map()
      // It throws for no single key; whoever counts is to see that some failed.
      const work = async (): Promise<void> => {
        failed = await blobs.removeAll(keys, mayGoOn)
        for (const error of failed.values()) throw error
      }
      await around('remove', work).catch((error: unknown) => {
        if (failed.size === 0) throw error
      })
      return failed
    },
  }
}
