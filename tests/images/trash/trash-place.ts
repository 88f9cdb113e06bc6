// A server with a trash: accounts, images in every state, and shared checks.
import assert from 'node:assert/strict'
import type { Blobs } from '../../../src/storage/port.ts'
import type { TrashedImage } from '../../../src/shared/v2/image-schemas.ts'
import { countImages } from '../../../src/events/outbox.ts'
import { createIntegrity, type Finding } from '../../../src/images/storage/integrity.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { startWaymark, type Person } from '../../helpers/waymark.ts'
import { readAs, remove, type Page } from '../image-client.ts'

export const day = 24 * 3_600_000

export const downwards = (one: number, other: number): number => other - one

/** Makes it a single node: of several, none collects garbage twice within an hour. */
const wrapBlobs = (blobs: Blobs): Blobs => ({ ...blobs })

export async function startTrash() {
  const waymark = await startWaymark({ environment: { QUOTA_PENDING_IMAGES: '12' }, wrapBlobs })
  await waymark.addTrail(4711, 'Rim Trail')
  await waymark.addTrail(4712, 'Creek Trail')
  const ana = await waymark.addPerson({ name: 'Ana' })
  const bea = await waymark.addPerson({ name: 'Bea' })
  const rob = await waymark.addPerson({ name: 'Rob', role: 'reviewer' })
  const limited = await waymark.addPerson({ name: 'Lim', role: 'reviewer' })
  const { db } = waymark.installation.database
  await db.insertInto('account_trail').values({ account_id: limited.accountId, trail_id: 4712 }).execute()
  const key = await waymark.addKey(bea.accountId)
  const people = [ana, bea, rob, limited]

  let pictures = 0
  async function newImage(decisions: readonly string[] = [], trailId = 4711, person = ana): Promise<number> {
    pictures += 1
    const imageId = await waymark.upload(
      person,
      trailId,
      await jpegPicture({ width: 12, height: 9, seed: pictures }),
    )
    for (const decision of decisions) assert.equal((await waymark.review(rob, imageId, decision)).status, 200)
    waymark.system.advance(1_000)
    return imageId
  }
  const deleteNow = async (imageId: number, person: Person = ana): Promise<void> =>
    assert.equal((await remove(waymark, person, imageId)).status, 204)
  const trashOf = async (person: Person): Promise<readonly TrashedImage[]> =>
    (await readAs<Page<TrashedImage>>(await waymark.fetch('/v2/trash', { token: person.token }))).items
  const movesOf = async (imageId: number): Promise<string[]> => {
    const rows = await db
      .selectFrom('outbox')
      .select(['type', 'from_state as from', 'to_state as to'])
      .where('image_id', '=', imageId)
      .orderBy('position')
      .execute()
    return rows.map(({ type, from, to }) => `${type} ${from} ${to}`)
  }
  const versionOf = async (trailId: number): Promise<number> =>
    (await db.selectFrom('trail').select('version').where('id', '=', trailId).executeTakeFirstOrThrow())
      .version

  /** Stored counters must equal counted rows. */
  async function assertCounters(): Promise<void> {
    const rows = await db
      .selectFrom('image')
      .select(({ fn }) => ['state', fn.countAll<number>().as('images')])
      .groupBy('state')
      .execute()
    const counted = Object.fromEntries(rows.map(({ state, images }) => [state, images]))
    const kept = Object.entries(await countImages(db)).filter(([, images]) => images !== 0)
    assert.deepEqual(Object.fromEntries(kept), counted)
  }

  /** Runs `waymark check`: images in the trash have their files, and purged ones left nothing inconsistent. */
  async function assertWhole(): Promise<void> {
    const { database, blobs } = waymark.installation
    const found: Finding[] = []
    const checked = await createIntegrity({ database, blobs }).check('bytes', (finding) =>
      found.push(finding),
    )
    assert.deepEqual(found, [])
    const rows = await db.selectFrom('image').select('id').execute()
    assert.equal(checked.images, rows.length)
  }

  return {
    waymark,
    ana,
    bea,
    rob,
    limited,
    people,
    key,
    newImage,
    deleteNow,
    trashOf,
    movesOf,
    versionOf,
    assertCounters,
    assertWhole,
  }
}
