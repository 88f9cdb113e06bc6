// Where the reviewer is in the queue: which photos are shown of those that the server tells, and which comes after which.

export interface Numbered {
  readonly imageID: number
}

/** A photo that an undo brought back, and where it stood when it left; for the server it waits from now on, at the end. */
export interface Returned<Item> {
  readonly item: Item
  readonly index: number
}

/** What this sitting has done to the list, which the server may not know yet. */
export interface Overlay<Item> {
  /** Decided on, by id: with the stamp of what was decided, so that a photo that comes back for another reason is seen. */
  readonly settled: ReadonlyMap<number, string>
  readonly returned: readonly Returned<Item>[]
  /** To be looked at later: at the end, the one skipped first before the others. */
  readonly skipped: readonly number[]
}

/** The list as the reviewer sees it: nothing decided, nothing that jumps from its place. */
export function arrange<Item extends Numbered>(
  told: readonly Item[],
  { settled, returned, skipped }: Overlay<Item>,
  stampOf: (item: Item) => string,
): readonly Item[] {
  const isShown = (item: Item): boolean => settled.get(item.imageID) !== stampOf(item)
  const fresh = new Map(told.map((item) => [item.imageID, item]))
  const backIds = new Set(returned.map(({ item }) => item.imageID))
  const shown = told.filter((item) => isShown(item) && !backIds.has(item.imageID))
  // In the order of their return: the last decision was made on the shortest list, and comes back first.
  for (const { item, index } of returned) {
    const newest = fresh.get(item.imageID) ?? item
    if (isShown(newest)) shown.splice(index, 0, newest)
  }
  const later = new Map(skipped.map((id, order) => [id, order]))
  if (later.size === 0) return shown
  return [
    ...shown.filter(({ imageID }) => !later.has(imageID)),
    ...shown
      .filter(({ imageID }) => later.has(imageID))
      .toSorted((one, other) => (later.get(one.imageID) ?? 0) - (later.get(other.imageID) ?? 0)),
  ]
}

/**
 * The photo to look at once this one has left the list.
 * @param isFree whether nobody else is looking at it.
 * @returns the next free one, else one before it, else any; undefined where nothing else is there.
 */
export function afterLeaving<Item extends Numbered>(
  shown: readonly Item[],
  leaving: ReadonlySet<number>,
  { at, isFree }: { readonly at: number; readonly isFree: (item: Item) => boolean },
): number | undefined {
  const from = Math.max(
    0,
    shown.findIndex(({ imageID }) => imageID === at),
  )
  const round = [...shown.slice(from), ...shown.slice(0, from)].filter(({ imageID }) => !leaving.has(imageID))
  return (round.find(isFree) ?? round[0])?.imageID
}

/**
 * One step on or back. A photo that has left the list meanwhile, by somebody else's decision, counts as standing before the
 * one that is now at its place.
 */
export function stepFrom(
  shown: readonly Numbered[],
  { at, lastIndex }: { readonly at: number | undefined; readonly lastIndex: number },
  step: 1 | -1,
): number | undefined {
  const index = shown.findIndex(({ imageID }) => imageID === at)
  if (index !== -1) return shown[index + step]?.imageID
  const place = Math.min(lastIndex, shown.length)
  return shown[step === 1 ? Math.min(place, shown.length - 1) : place - 1]?.imageID
}

/** The photos to load before they are asked for. */
export function upcoming<Item extends Numbered>(
  shown: readonly Item[],
  at: number | undefined,
  count: number,
): readonly Item[] {
  const index = shown.findIndex(({ imageID }) => imageID === at)
  return shown.slice(index + 1, index + 1 + count)
}
