// Puts something around every call of a store, such as a clock or the step of a trace.
import type { Blobs, StagedBlob } from './port.ts'

export type BlobCall = 'receive' | 'keep' | 'put' | 'read' | 'open' | 'has' | 'remove' | 'removeAll'
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
    open: (key) => around('open', () => blobs.open(key)),
    has: (key) => around('has', () => blobs.has(key)),
    remove: (key) => around('remove', () => blobs.remove(key)),
    removeAll: (keys, mayGoOn) => around('removeAll', () => blobs.removeAll(keys, mayGoOn)),
  }
}
