// A trail with thousands of images, for the tests of chunked lists; and the same list built in one step.
import type { Actor } from '../../../src/auth/guard.ts'
import { listListed } from '../../../src/images/image-table.ts'
import { createPresent } from '../../../src/images/present.ts'
import { anotherPicture } from '../../helpers/leaving.ts'
import { startWaymark, type Person, type Waymark } from '../../helpers/waymark.ts'

export const trailId = 4711
export const byKey: Actor = { kind: 'key', keyHash: '', accountId: 0 }
export const present = createPresent({ imageHandlerUrl: '', xmlEmail: 'permitted', takenAt: 'day' })

/** Ana's, except each thousandth. */
async function fill(waymark: Waymark, ana: Person, ben: Person, count: number): Promise<number[]> {
  const { db } = waymark.installation.database
  const first = await waymark.upload(ana, trailId, await anotherPicture())
  const row = await db.selectFrom('image').selectAll().where('id', '=', first).executeTakeFirstOrThrow()
  const made: number[] = []
  for (let from = 0; from < count; from += 200) {
    const rows = Array.from({ length: 200 }, (_, index) => ({
      ...row,
      id: waymark.system.newId(),
      submitter_id: (from + index) % 1_000 === 3 ? ben.accountId : ana.accountId,
      state: 'approved' as const,
      seq: 10 + 2 * (from + index),
      title: `Photo ${from + index}`,
      caption: `${'ñ & <ridge> '.repeat(16)}${from + index}`,
    }))
    await db.insertInto('image').values(rows).execute()
    made.push(...rows.map(({ id }) => id))
  }
  await db.updateTable('trail').set({ version: 20_000 }).where('id', '=', trailId).execute()
  return made
}

export async function startLongList(count: number) {
  const waymark = await startWaymark()
  const { db } = waymark.installation.database
  await waymark.addTrail(trailId, 'Rim Trail')
  const ana = await waymark.addPerson({ name: 'Ána' })
  const ben = await waymark.addPerson({ name: 'Ben' })
  const rob = await waymark.addPerson({ role: 'reviewer' })
  return {
    waymark,
    db,
    ana,
    ben,
    rob,
    key: await waymark.addKey(ben.accountId),
    /** In list order. */
    ids: await fill(waymark, ana, ben, count),

    inOneGo: async (actor: Actor, format: 'json' | 'xml'): Promise<string> => {
      const texts = (await listListed(db, trailId)).map((image) => present.details(actor, image, format))
      return format === 'json'
        ? `[${texts.join(',')}]`
        : `<ArrayOfTrailImageDetails>${texts.join('')}</ArrayOfTrailImageDetails>`
    },
  }
}
