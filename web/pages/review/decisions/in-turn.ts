// Serialises the actions on each photo.
const turns = new Map<number, Promise<unknown>>()

/**
 * Requests for a photo are sent in the order of the actions: an undo after its decision, a decision after an undo.
 */
export async function inTurn<Answer>(
  imageIds: readonly number[],
  work: () => Promise<Answer>,
): Promise<Answer> {
  const before = Promise.allSettled(imageIds.map((id) => turns.get(id) ?? Promise.resolve()))
  const turn = before.then(work)
  for (const id of imageIds) turns.set(id, turn)
  try {
    return await turn
  } finally {
    for (const id of imageIds) if (turns.get(id) === turn) turns.delete(id)
  }
}
