// The order of a list, step by step: a photo that is new at its beginning moves all others, and nobody else can write
// during a step.
import type { Placed } from '../../src/images/pulled/pulled-images-table.ts'

/** Exchanges of two photos: on PostgreSQL, a step takes some 0.2 s. */
const exchangesOfStep = 200

/**
 * @param wanted the photos in the wanted order, each with the place that it has now.
 * @returns the new places of each step, which together are those that its photos had before.
 */
export function* stepsIntoOrder(
  wanted: readonly Placed[],
  maxExchanges = exchangesOfStep,
): Generator<Placed[], void> {
  const places = wanted.map(({ seq }) => seq).toSorted((one, other) => one - other)
  const nthOf = new Map(places.map((seq, nth) => [seq, nth]))
  /** For each photo its place now, and for each place its photo. */
  const placeOf = wanted.map(({ seq }, nth) => nthOf.get(seq) ?? nth)
  const photoAt: number[] = []
  for (const [photo, place] of placeOf.entries()) photoAt[place] = photo
  const moved = new Set<number>()
  const step = (): Placed[] =>
    [...moved].flatMap((photo) => {
      const [id, seq] = [wanted[photo]?.id, places[placeOf[photo] ?? -1]]
      return id === undefined || seq === undefined ? [] : [{ id, seq }]
    })

  let exchanges = 0
  for (const nth of wanted.keys()) {
    const [other = nth, from = nth] = [photoAt[nth], placeOf[nth]]
    if (other === nth) continue
    photoAt[nth] = nth
    photoAt[from] = other
    placeOf[nth] = nth
    placeOf[other] = from
    moved.add(nth).add(other)
    exchanges += 1
    if (exchanges % maxExchanges > 0) continue
    yield step()
    moved.clear()
  }
  if (moved.size > 0) yield step()
}
