// A write that the system had promised and then lost: from then on nothing is acknowledged, and the process must end.

/** Disk full, or out of descriptors: nothing was promised, so nothing was lost. The file being written is discarded. */
const harmless: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EMFILE', 'ENFILE', 'ENOENT'])

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined

export interface StorageFaults {
  /** Settles with the first loss; never, if there is none. */
  readonly firstLoss: Promise<Error>
  /** Runs an fsync. Its failure is a loss, unless it only says that the disk is full. */
  guardSync<T>(sync: () => Promise<T>): Promise<T>
  /** Reports a loss. Only the first is kept. */
  reportLoss(error: Error): void
  /** @throws Error with code EIO once there was a loss: called before each write. */
  requireNoLoss(): void
}

/**
 * After a failed fsync the kernel forgets which pages were not written and succeeds the next time, so continuing would
 * acknowledge what is not on disk (PostgreSQL learned this in 2018, and stops).
 */
export function createStorageFaults(): StorageFaults {
  const { promise: firstLoss, resolve } = Promise.withResolvers<Error>()
  let loss: Error | undefined

  function reportLoss(error: Error): void {
    loss ??= error
    resolve(loss)
  }

  return {
    firstLoss,
    reportLoss,
    guardSync: async (sync) => {
      try {
        return await sync()
      } catch (error) {
        if (error instanceof Error && !harmless.has(codeOf(error))) reportLoss(error)
        throw error
      }
    },
    requireNoLoss: () => {
      if (loss === undefined) return
      const lost = new Error('An earlier write was lost; the server is stopping.', { cause: loss })
      throw Object.assign(lost, { code: 'EIO', syscall: 'fsync' })
    },
  }
}
