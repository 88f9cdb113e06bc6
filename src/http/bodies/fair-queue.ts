// Who may work next where only so many work at once: in order, but those of one account do not all go before another's.

/** @param maxAtOnce how many work at the same time. */
export function createFairQueue(maxAtOnce: number) {
  let working = 0
  let last = ''
  const waiting: { readonly account: string; readonly begin: () => void }[] = []

  function begin(account: string): void {
    working += 1
    last = account
  }

  function end(): void {
    working -= 1
    const other = waiting.findIndex(({ account }) => account !== last)
    const [next] = waiting.splice(Math.max(other, 0), 1)
    next?.begin()
  }

  return {
    /** Waits for the turn. @returns what ends it. */
    take: async (account: string): Promise<() => void> => {
      if (working < maxAtOnce) begin(account)
      else
        await new Promise<void>((resolve) => {
          waiting.push({
            account,
            begin: () => {
              begin(account)
              resolve()
            },
          })
        })
      return end
    },
  }
}
