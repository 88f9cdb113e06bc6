// Text searches of trails, compared with a scan of all trails; and the trigrams maintained by triggers, after any write.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { Db } from '../../src/database/database.ts'
import { contains, fold } from '../../src/database/matching.ts'
import { migrate } from '../../src/database/migrate.ts'
import type { Box } from '../../src/shared/geo/measures.ts'
import { deleteTrail } from '../../src/trails/trail-end-table.ts'
import { listTrails, upsertTrails, type WrittenTrail } from '../../src/trails/trail-table.ts'
import type { OpenEmptyDatabase } from '../database/database-suite.ts'

const runsOf = { sqlite: 60, postgres: 12 } as const
const searchesOfRun = 25

/** Wildcards of LIKE and its escape, text changed by case folding, surrogate pairs, and words with common trigrams. */
const parts = [
  ' ',
  ' ',
  ' ',
  'e\u0301',
  "O'Neill",
  ...'Rim rim Trail TRAIL North Angels Landing an x - % _ \\ 100% Öster ÖSTER straße ﬁ Ⅸ é İ K'.split(' '),
  ...'🥾 👨‍👩‍👧 🇨🇭 𐍈 富士 山 ﷺ'.split(' '),
]
const text = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom(...parts), { minLength, maxLength }).map((some) => some.join(''))
const name = fc.oneof(
  { weight: 9, arbitrary: text(1, 6) },
  { weight: 1, arbitrary: text(20, 60) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 9 }) },
)
const id = fc.integer({ min: 1, max: 40 })
const boxes: readonly Box[] = [
  { west: 0, south: 0, east: 1, north: 1 },
  { west: 5, south: 5, east: 6, north: 6 },
]
type Change =
  | { readonly is: 'write'; readonly trails: readonly { readonly id: number; readonly name: string }[] }
  | { readonly is: 'delete'; readonly id: number }
  /** What an operator may do. */
  | { readonly is: 'sql'; readonly id: number; readonly name: string }
  | { readonly is: 'move'; readonly id: number }

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      is: fc.constant('write' as const),
      trails: fc.uniqueArray(fc.record({ id, name }), {
        minLength: 1,
        maxLength: 9,
        selector: (one) => one.id,
      }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('delete' as const), id }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('sql' as const), id, name }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('move' as const), id }) },
)

const written = (trail: { readonly id: number; readonly name: string }): WrittenTrail => {
  const box = boxes[trail.id % 3]
  return {
    ...trail,
    slug: `t-${trail.id}`,
    line: box ? { text: '{}', box, miles: 1, heights: undefined } : null,
  }
}

async function apply(db: Db, made: Change): Promise<void> {
  switch (made.is) {
    case 'write':
      return upsertTrails(db, made.trails.map(written), 1)
    case 'delete':
      return db.transaction().execute((tx) => deleteTrail(tx, made.id))
    case 'sql':
      await db
        .updateTable('trail')
        .set({ search: fold(made.name) })
        .where('id', '=', made.id)
        .execute()
      await db
        .updateTable('trail')
        .set({ sort_key: fold(made.name).slice(0, 1) })
        .where('id', '=', made.id)
        .execute()
      return
    case 'move':
      await db.transaction().execute(async (tx) => {
        await deleteTrail(tx, made.id + 1_000)
        await tx.deleteFrom('trail_line').where('trail_id', '=', made.id).execute()
        await tx
          .updateTable('trail')
          .set({ id: made.id + 1_000, slug: `t-${made.id + 1_000}` })
          .where('id', '=', made.id)
          .execute()
      })
  }
}

const rows = (db: Db) => db.selectFrom('trail').select(['id', 'search', 'sort_key', 'west']).execute()

/** The expected trigger results, computed here. */
async function expectedGrams(db: Db): Promise<string[]> {
  const all = (await rows(db)).flatMap((row) => {
    const characters = Array.from(row.search)
    const grams = [2, 3].flatMap((size) =>
      characters.slice(size - 1).map((_last, start) => characters.slice(start, start + size).join('')),
    )
    return [...new Set(grams)].map((gram) => JSON.stringify([gram, row.sort_key, row.id]))
  })
  return all.toSorted()
}

async function keptGrams(db: Db): Promise<string[]> {
  const all = await db.selectFrom('trail_gram').select(['gram', 'sort_key', 'trail_id']).execute()
  return all.map((row) => JSON.stringify([row.gram, row.sort_key, row.trail_id])).toSorted()
}

/** Ids in list order from a scan of every trail: in memory, and with LIKE alone, as before trigrams. */
async function foundByScan(db: Db, words: string, within: Box | undefined): Promise<number[]> {
  const isWithin = (west: number | null) => within === undefined || west === within.west
  const inMemory = (await rows(db))
    .filter((row) => row.search.includes(words) && isWithin(row.west))
    .toSorted(
      (one, other) =>
        Buffer.compare(Buffer.from(one.sort_key), Buffer.from(other.sort_key)) || one.id - other.id,
    )
    .map((row) => row.id)
  const byLike = await db
    .selectFrom('trail')
    .select(['id', 'west'])
    .where(contains('search', words))
    .orderBy('sort_key')
    .orderBy('id')
    .execute()
  assert.deepEqual(
    byLike.filter(({ west }) => isWithin(west)).map((row) => row.id),
    inMemory,
  )
  return inMemory
}

async function foundByPages(
  db: Db,
  words: string,
  within: Box | undefined,
  limit: number,
): Promise<number[]> {
  const found: number[] = []
  for (let after: { readonly sortKey: string; readonly id: number } | undefined; ;) {
    const page = await listTrails(db, { words, within, after }, limit)
    found.push(...page.map((row) => row.id))
    after = page.at(-1)
    if (page.length < limit) return found
  }
}

const search = fc.record({
  // A substring of some text, or arbitrary text.
  sought: fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ at: fc.nat(60), from: fc.nat(12), length: fc.integer({ min: 1, max: 9 }) }),
    },
    { weight: 1, arbitrary: name },
  ),
  within: fc.option(fc.constantFrom(...boxes), { nil: undefined, freq: 5 }),
  limit: fc.integer({ min: 1, max: 7 }),
})

export function testTrailSearch(engine: string, openEmpty: OpenEmptyDatabase): void {
  void test(`${engine}: a search by words finds what a walk through all trails finds, page by page, after any writes (property)`, async (t) => {
    const { database } = await openEmpty(t)
    const { db } = database
    await migrate(database)
    let [found, several] = [0, 0]
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 3, maxLength: 12 }),
        fc.array(search, { minLength: searchesOfRun, maxLength: searchesOfRun }),
        async (changes, searches) => {
          await db.deleteFrom('trail_line').execute()
          await db.deleteFrom('trail').execute()
          assert.deepEqual(await keptGrams(db), [])
          for (const each of changes) {
            await apply(db, each)
            assert.deepEqual(await keptGrams(db), await expectedGrams(db), JSON.stringify(each))
          }
          const texts = (await rows(db)).map((row) => Array.from(row.search))
          for (const { sought, within, limit } of searches) {
            const whole = typeof sought === 'string' ? [] : (texts[sought.at % texts.length] ?? [])
            const words =
              typeof sought === 'string'
                ? fold(sought)
                : whole
                    .slice(sought.from % (whole.length || 1))
                    .slice(0, sought.length)
                    .join('')
            if (words === '') continue
            const expected = await foundByScan(db, words, within)
            assert.deepEqual(await foundByPages(db, words, within, limit), expected, JSON.stringify(words))
            found += Math.sign(expected.length)
            several += Number(expected.length > limit)
          }
        },
      ),
      { numRuns: runsOf[database.engine] },
    )
    const min = runsOf[database.engine]
    assert.ok(found > 5 * min && several > min, `${found} searches found something, ${several} have pages`)
  })

  void test(`${engine}: a slug, and words with it, give the same results as before`, async (t) => {
    const { database } = await openEmpty(t)
    const { db } = database
    await migrate(database)
    await upsertTrails(
      db,
      [1, 2].map((each) => ({ id: each, name: 'Rim Trail', slug: `rim-${each}` })),
      1,
    )
    const idsOf = async (words: string, slug: string) =>
      (await listTrails(db, { words, slug }, 9)).map((row) => row.id)
    assert.deepEqual(await idsOf('rim trail', 'rim-2'), [2])
    assert.deepEqual(await idsOf('rum', 'rim-2'), [])
  })

  void test(`${engine}: 0017 indexes the existing trails, and those that an older node writes`, async (t) => {
    const { database } = await openEmpty(t)
    const { db } = database
    await migrate(database, { upTo: '0016-stored-flags' })
    const names = ['Österleden', 'RIM Trail', '富士', '🥾', `${'Ⅸ'.repeat(200)} Rim`]
    await upsertTrails(
      db,
      names.map((each, at) => written({ id: at + 1, name: each })),
      1,
    )
    // Written by a version without case folding: no search finds it, as before.
    await db
      .insertInto('trail')
      .values({ id: 99, name: 'Rim', slug: 'rim', version: 1, created_at: 1 })
      .execute()
    const before = await db.selectFrom('trail').selectAll().orderBy('id').execute()
    assert.ok((await migrate(database)).applied.includes('0017-trail-grams'))
    const since = await db.selectFrom('trail').selectAll().orderBy('id').execute()
    for (const [at, row] of before.entries()) assert.deepEqual({ ...since[at], ...row }, since[at])
    assert.equal(since.length, before.length)
    assert.deepEqual(await keptGrams(db), await expectedGrams(db))
    const idsOf = async (words: string) =>
      (await listTrails(db, { words: fold(words) }, 9)).map((row) => row.id)
    assert.deepEqual(await idsOf('RIM'), [5, 2])
    assert.deepEqual(await idsOf('富士'), [3])
    // An older node writes only the trail table, with the same content as this one.
    const { search: text, sort_key: sortKey } = await db
      .selectFrom('trail')
      .select(['search', 'sort_key'])
      .where('id', '=', 2)
      .executeTakeFirstOrThrow()
    await db
      .insertInto('trail')
      .values({ id: 7, name: 'x', slug: 'x', version: 1, created_at: 1, search: text, sort_key: sortKey })
      .execute()
    await db.updateTable('trail').set({ search: 'angel', sort_key: 'angel' }).where('id', '=', 5).execute()
    await db.deleteFrom('trail_line').where('trail_id', '=', 2).execute()
    await db.deleteFrom('trail').where('id', '=', 2).execute()
    assert.deepEqual(await idsOf('RIM'), [7])
    assert.deepEqual(await keptGrams(db), await expectedGrams(db))
    assert.equal(await database.findDamage(), undefined)
  })
}
