// The reviewer's position in the queue: which of the server's photos are shown, and in which order.

export interface Numbered {
  readonly imageID: number
}

/** A photo restored by undo, with its previous position; on the server it is now at the end of the queue. */
export interface Returned<Item> {
  readonly item: Item
  readonly index: number
}

/** Changes by this session that the server's list may not contain yet. */
export interface Overlay<Item> {
  /**
   * Decided photos by id, with the version that was decided, so that a photo that returns for another reason is shown.
   */
  readonly settled: ReadonlyMap<number, string>
  readonly returned: readonly Returned<Item>[]
  /** Skipped photos: at the end, in the order of skipping. */
  readonly skipped: readonly number[]
}

/** The list as the reviewer sees it: no decided photos, and no photo jumps to another position. */
export function arrange<Item extends Numbered>(
  items: readonly Item[],
  { settled, returned, skipped }: Overlay<Item>,
  stampOf: (item: Item) => string,
): readonly Item[] {
  const isShown = (item: Item): boolean => settled.get(item.imageID) !== stampOf(item)
  const fresh = new Map(items.map((item) => [item.imageID, item]))
  const backIds = new Set(returned.map(({ item }) => item.imageID))
  const shown = items.filter((item) => isShown(item) && !backIds.has(item.imageID))
  // In the order of their return: the last decision was made on the shortest list, so it is reverted first.
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
 * The photo to show after this one has left the list.
 * @param isFree whether nobody else has claimed it.
 * @returns the next free one, otherwise a previous one, otherwise any; undefined if the list is empty.
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
 * One step forward or back. A photo that has left the list by someone else's decision counts as before the one that
 * is now in its position.
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

/** The photos to preload. */
export function upcoming<Item extends Numbered>(
  shown: readonly Item[],
  at: number | undefined,
  count: number,
): readonly Item[] {
  const index = shown.findIndex(({ imageID }) => imageID === at)
  return shown.slice(index + 1, index + 1 + count)
}
