// The order in which this browser's photos were added: three are uploaded at once, so they arrive in another. The
// server only knows when each arrived; lists of one's own photos are sorted back into the order of adding (decision
// 0102).
const keyOf = (acctId: number): string => `waymark.added.${acctId}`

type Added = readonly (readonly [imageId: number, addedAt: number])[]

/** About 100 kB; of older ones, the order of arrival counts. */
const maxNoted = 4_000

function read(acctId: number): Added {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(keyOf(acctId)) ?? '[]')
    return Array.isArray(found) ? (found as Added) : []
  } catch {
    return []
  }
}

export function noteAdded(acctId: number, imageId: number, addedAt: number): void {
  const others = read(acctId).filter(([id]) => id !== imageId)
  try {
    localStorage.setItem(keyOf(acctId), JSON.stringify([...others, [imageId, addedAt]].slice(-maxNoted)))
  } catch {
    // Without storage, the order of arrival is all there is.
  }
}

/**
 * @param images newest first.
 * @returns the same, with those that this browser sent in the order in which they were added, newest first, in the places
 * that they have among the others.
 */
export function orderedAs<Item extends { readonly imageID: number }>(
  images: readonly Item[],
  added: Added,
): readonly Item[] {
  const addedAt = new Map(added)
  const isKnown = ({ imageID }: Item): boolean => addedAt.has(imageID)
  const known = images.filter(isKnown)
  const sorted = known.toSorted(
    (one, other) => (addedAt.get(other.imageID) ?? 0) - (addedAt.get(one.imageID) ?? 0),
  )
  return images.map((image) => (isKnown(image) ? (sorted.shift() ?? image) : image))
}

export const inOrderOfAdding = <Item extends { readonly imageID: number }>(
  images: readonly Item[],
  acctId: number,
): readonly Item[] => orderedAs(images, read(acctId))
