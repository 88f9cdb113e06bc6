// Required by issue 6: paging while images are added and removed never skips or repeats one that was present throughout.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { holdsWhilePaging, type PagedSet } from '../../helpers/paging-property.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { readAs, type Page } from '../image-client.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson({ name: 'Ana' })
const { db } = waymark.installation.database
const model = await waymark.upload(ana, 4711, await jpegPicture({ width: 12, height: 9 }))
const row = await db.selectFrom('image').selectAll().where('id', '=', model).executeTakeFirstOrThrow()
await db.deleteFrom('image').where('id', '=', model).execute()

const readPage =
  (address: string): PagedSet['readPage'] =>
  async (cursor, limit) => {
    const query = `limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`
    const answer = await waymark.fetch(`${address}?${query}`, { token: ana.token })
    const { items, next } = await readAs<Page<{ readonly imageID: number }>>(answer)
    return { ids: items.map(({ imageID }) => imageID), next }
  }
const remove = async (id: number): Promise<void> =>
  void (await db.deleteFrom('image').where('id', '=', id).execute())

/** Only a few timestamps, so that many images share one. */
const timestampOf = (place: number): number => row.posted_at + Math.floor(place * 4)

let seq = 100

async function insert(columns: Partial<typeof row>): Promise<number> {
  const id = waymark.system.newId()
  seq += 1
  await db
    .insertInto('image')
    .values({ ...row, id, seq, ...columns })
    .execute()
  return id
}

void test('Part D: GET /v2/images while images are uploaded and deleted', async () => {
  await holdsWhilePaging(
    {
      readPage: readPage('/v2/images'),
      insert: (place) => insert({ posted_at: timestampOf(place) }),
      remove,
    },
    { numRuns: 15 },
  )
})

void test('Part D: GET /v2/trails/{trailID}/images while images are approved and removed', async () => {
  await holdsWhilePaging(
    {
      readPage: readPage('/v2/trails/4711/images'),
      // An image that is approved late is placed by its upload: anywhere in the list.
      insert: (place) => insert({ state: 'approved', seq: Math.floor(place * 100) * 1_000_000 + seq + 1 }),
      remove,
    },
    { numRuns: 15 },
  )
  await db.deleteFrom('image').execute()
})

void test('Part D: GET /v2/trash while images are deleted and restored', async () => {
  await holdsWhilePaging(
    {
      readPage: readPage('/v2/trash'),
      insert: (place) =>
        insert({
          state: 'deleted',
          deleted_from: 'pending',
          deleted_at: timestampOf(place),
          deleted_by: ana.accountId,
        }),
      remove,
    },
    { numRuns: 15 },
  )
  assert.equal((await readPage('/v2/images')(null, 500)).ids.length, 0)
})
