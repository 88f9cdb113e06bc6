// A photo without a place between two that have one: offered only where both were taken within two minutes of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { betweenNeighbours, type Neighbour } from '../../../src/shared/placing/neighbours.ts'
import { clockAt } from './placing-helpers.ts'

const start = Date.UTC(2026, 4, 14, 8)
const photo = (seconds: number, lat?: number, lon = 7): Neighbour => ({
  ...clockAt(start + seconds * 1_000),
  ...(lat === undefined ? {} : { place: { lat, lon } }),
})

void test('a photo between two placed ones is offered the position between them, by its time', () => {
  const offers = betweenNeighbours([photo(0, 46), photo(120, 46.4), photo(30), photo(120)])
  assert.deepEqual(offers.slice(0, 2), [undefined, undefined])
  assert.equal(offers[2]?.lat.toFixed(6), '46.100000')
  assert.deepEqual([offers[2].before, offers[2].after], [0, 1])
  assert.equal(offers[3], undefined)
})

void test('the neighbours are the nearest in time, in whatever order the photos come', () => {
  const offers = betweenNeighbours([photo(100, 48), photo(0, 46), photo(60), photo(40, 47), photo(500, 50)])
  assert.deepEqual([offers[2]?.before, offers[2]?.after], [3, 0])
})

void test('there is no offer more than two minutes from either neighbour, nor at the ends', () => {
  const isOffered = (...photos: Neighbour[]): boolean => betweenNeighbours(photos)[0] !== undefined
  assert.equal(isOffered(photo(120), photo(0, 46), photo(240, 47)), true)
  assert.equal(isOffered(photo(121), photo(0, 46), photo(200, 47)), false)
  assert.equal(isOffered(photo(120), photo(0, 46), photo(241, 47)), false)
  assert.equal(isOffered(photo(120), photo(0, 46)), false)
  assert.equal(isOffered(photo(0), photo(0, 46), photo(0, 47)), true)
  assert.equal(isOffered({}, photo(0, 46), photo(1, 47)), false)
})

void test('over the antimeridian the offer is on the shorter way', () => {
  const [offer] = betweenNeighbours([photo(60), photo(0, 0, 179.9), photo(120, 0, -179.7)])
  assert.equal(offer?.lon.toFixed(6), '-179.900000')
})

void test('an offer does not count as a position for other photos', () => {
  const offers = betweenNeighbours([photo(0, 46), photo(100), photo(200), photo(300, 47)])
  assert.deepEqual(offers, [undefined, undefined, undefined, undefined])
})
