// Works at several things at once and gives the results in the order of the things.

export interface Bounds<Item> {
  readonly atOnce: number
  /** What each holds while it is worked at, such as bytes, and how much of it all together may. One is always let in. */
  readonly weightOf: (item: Item) => number
  readonly maxWeight: number
  /** Begins nothing more from then on; what is begun is finished, and given. */
  readonly signal?: AbortSignal
}

/** So many times what is worked at may be finished and wait for an earlier one that takes longer. */
const maxAhead = 4

/** @throws what the first that fails says, in the order of the items; nothing goes on after that. */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  work: (item: Item) => Promise<Result>,
  { atOnce, weightOf, maxWeight, signal }: Bounds<Item>,
): AsyncGenerator<Result> {
  const begun: { isDone: boolean; readonly result: Promise<Result> }[] = []
  const running = new Set<Promise<unknown>>()
  let weight = 0

  function begin(item: Item): void {
    const own = weightOf(item)
    const place = { isDone: false, result: work(item) }
    const ended = place.result
      .catch(() => undefined) // whoever takes the result is told
      .finally(() => {
        place.isDone = true
        weight -= own
        running.delete(ended)
      })
    weight += own
    running.add(ended)
    begun.push(place)
  }

  try {
    for await (const item of items) {
      while (running.size > 0 && (running.size >= atOnce || weight + weightOf(item) > maxWeight))
        await Promise.race(running)
      if (signal?.aborted === true) break
      begin(item)
      for (
        let [first] = begun;
        first && (first.isDone || begun.length >= maxAhead * atOnce);
        [first] = begun
      ) {
        begun.shift()
        yield await first.result
      }
    }
    for (const { result } of begun) yield await result
  } finally {
    await Promise.all(running)
  }
}
