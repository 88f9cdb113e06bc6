// The steps in which a pull brings photos into the order of a list.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stepsIntoOrder } from '../../cli/pull/list-order.ts'

const shuffled = (count: number, seed: number): number[] => {
  const places = Array.from({ length: count }, (_, nth) => 10 + 3 * nth)
  let state = seed
  for (let nth = count - 1; nth > 0; nth -= 1) {
    state = (state * 48_271) % 2_147_483_647
    const other = state % (nth + 1)
    ;[places[nth], places[other]] = [places[other] ?? 0, places[nth] ?? 0]
  }
  return places
}

const sorted = (numbers: Iterable<number>): number[] => [...numbers].toSorted((one, other) => one - other)

/** Applies each step as the database does, where no two photos may have one place. @returns the steps. */
function apply(places: readonly number[], maxExchanges: number): number[] {
  const placeOf = new Map(places.map((seq, id) => [id, seq]))
  const lengths: number[] = []
  for (const step of stepsIntoOrder(
    places.map((seq, id) => ({ id, seq })),
    maxExchanges,
  )) {
    const before = step.map(({ id }) => placeOf.get(id) ?? -1)
    assert.deepEqual(sorted(step.map(({ seq }) => seq)), sorted(before), 'the same places')
    for (const { id, seq } of step) placeOf.set(id, seq)
    lengths.push(step.length)
  }
  assert.deepEqual([...placeOf.values()], sorted(places))
  return lengths
}

void test('any order is reached in steps that are short and exchange places among themselves', () => {
  for (const count of [0, 1, 2, 3, 50, 1_000])
    for (const seed of [1, 2, 3])
      for (const maxExchanges of [1, 7, 200])
        for (const length of apply(shuffled(count, seed), maxExchanges))
          assert.ok(length <= 2 * maxExchanges, `${length} of ${maxExchanges}`)
})

void test('a photo that is new at the beginning moves the others once each, a step at a time', () => {
  const last = 5_000
  const lengths = apply([last, ...Array.from({ length: 1_000 }, (_, nth) => nth)], 100)
  assert.deepEqual(
    lengths,
    Array.from({ length: 10 }, () => 101),
  )
  assert.deepEqual(apply([1, 2, 3], 100), [], 'nothing to do')
})
