// Of the connections of this node, how many may wait for the right to write: the others are left for whoever reads.

/** Longer than this nobody waits here; the wait in the database comes on top of it. */
const maxMs = 1_000

export interface WriterTurns {
  /** @returns what ends the turn. @throws Error with code EBUSY where none was to be had in time. */
  take(): Promise<() => void>
}

export function createWriterTurns(most: number): WriterTurns {
  let taken = 0
  const waiting = new Set<() => void>()

  function end(): void {
    const [next] = waiting
    if (next === undefined) taken -= 1
    else next() // the turn is handed on
  }

  function wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const alarm = setTimeout(() => {
        waiting.delete(begin)
        reject(
          Object.assign(new Error('Too many requests are waiting to write to the database.'), {
            code: 'EBUSY',
          }),
        )
      }, maxMs)
      const begin = (): void => {
        clearTimeout(alarm)
        waiting.delete(begin)
        resolve()
      }
      waiting.add(begin)
    })
  }

  return {
    take: async () => {
      if (taken < most) taken += 1
      else await wait()
      let isEnded = false
      return () => {
        if (!isEnded) end()
        isEnded = true
      }
    },
  }
}
