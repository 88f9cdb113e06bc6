// Bytes that slow readers hold, counted up to a limit: a value is in memory for as long as one reads it, cached or not.

export interface BorrowedBytesOptions<T> {
  /** The limit of everything that is borrowed at once. */
  readonly max: number
  readonly sizeOf: (value: T) => number
}

export function createBorrowedBytes<T extends object>({ max, sizeOf }: BorrowedBytesOptions<T>) {
  /** How many readers hold each value. */
  const readersOf = new Map<T, number>()
  let bytes = 0

  return {
    /**
     * Call it before this much is read into memory for one reader.
     * @returns a function that releases it; undefined if too much is borrowed already.
     */
    reserve: (more: number): (() => void) | undefined => {
      if (bytes + more > max) return undefined
      bytes += more
      return () => {
        bytes -= more
      }
    },

    /** The same for a value that several may read: it counts once, and until the last of them releases it. */
    borrow: (value: T): (() => void) | undefined => {
      const readers = readersOf.get(value) ?? 0
      const size = sizeOf(value)
      if (readers === 0 && bytes + size > max) return undefined
      readersOf.set(value, readers + 1)
      if (readers === 0) bytes += size
      return () => {
        const left = (readersOf.get(value) ?? 0) - 1
        if (left > 0) return void readersOf.set(value, left)
        readersOf.delete(value)
        bytes -= size
      }
    },
  }
}
