// The storage used by an account is stored with it, and updated by each upload and permanent deletion (contract D6,
// quotas).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createDeletion } from '../../../src/account-data/deletion.ts'
import { createIntegrity, type Finding } from '../../../src/images/storage/integrity.ts'
import { usageOf } from '../../../src/images/usage-table.ts'
import { anotherPicture } from '../../helpers/leaving.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { remove } from '../image-client.ts'

const monthMs = 31 * 86_400_000
const waymark = await startWaymark({ environment: { QUOTA_BYTES: '2000000' } })
after(() => waymark.close())
await waymark.addTrail(4711, 'Trail')
const ana = await waymark.addPerson()
const bea = await waymark.addPerson()
const { db } = waymark.installation.database
const now = (): number => waymark.system.now()

async function summed(accountId: number): Promise<number> {
  const { bytes } = await db
    .selectFrom('image')
    .select(({ fn }) => fn.sum<number | null>('bytes').as('bytes'))
    .where('submitter_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return bytes ?? 0
}

const storedOf = async (accountId: number): Promise<number> => (await usageOf(db, accountId)).bytes

void test('quotas: an account’s bytes equal those of its images, through upload, trash, purge and account deletion', async () => {
  assert.equal(await storedOf(ana.accountId), 0)
  const pictures = [await anotherPicture(), await anotherPicture(), await anotherPicture()]
  const ids: number[] = []
  for (const picture of pictures) ids.push(await waymark.upload(ana, 4711, picture))
  await waymark.upload(bea, 4711, pictures[0] ?? Buffer.alloc(0))
  const all = pictures.reduce((sum, { length }) => sum + length, 0)
  assert.deepEqual([await storedOf(ana.accountId), await summed(ana.accountId)], [all, all])

  await remove(waymark, ana, ids[0] ?? 0)
  assert.equal(await storedOf(ana.accountId), all, 'the trash is stored like the rest')
  waymark.system.advance(monthMs)
  await waymark.app.sweep()
  const left = all - (pictures[0]?.length ?? 0)
  assert.deepEqual([await storedOf(ana.accountId), await summed(ana.accountId)], [left, left])

  const { blobs } = waymark.installation
  const deletion = createDeletion({ db, blobs, now, sendMail: undefined })
  await deletion.leave(ana.accountId, 'delete', { accountId: ana.accountId, via: 'session' })
  assert.deepEqual([await storedOf(ana.accountId), await summed(ana.accountId)], [0, 0])
  assert.equal(await storedOf(bea.accountId), pictures[0]?.length)
})

void test('quotas: an account that has reached its quota is refused, whatever else is in the table', async () => {
  const cai = await waymark.addPerson()
  await db.updateTable('account').set({ image_bytes: 1_999_999 }).where('id', '=', cai.accountId).execute()
  const answer = await waymark.fetch('/Trails/4711/Images', {
    method: 'POST',
    token: cai.token,
    headers: { 'content-type': 'image/jpeg' },
    body: new Uint8Array(await anotherPicture()),
  })
  assert.equal(answer.status, 403)
  assert.match(await answer.text(), /1999999 bytes/)
})

void test('check: counts that do not match an account’s rows are reported and corrected', async () => {
  const { database, blobs } = waymark.installation
  const check = async (): Promise<Finding[]> => {
    const found: Finding[] = []
    await createIntegrity({ database, blobs }).check('lengths', (finding) => found.push(finding))
    return found
  }
  const set = { image_bytes: 1, route_count: -2 }
  await db.updateTable('account').set(set).where('id', '=', bea.accountId).execute()
  const expected = (rows: string) =>
    new RegExp(
      `^The counts .* did not match the ${rows} of accounts? (\\d+, )?${bea.accountId}.*; they were corrected`,
    )
  const [ofImages, ofRoutes, ...others] = await check()
  assert.match(ofImages?.detail ?? '', expected('images'))
  assert.match(ofRoutes?.detail ?? '', expected('routes'))
  assert.deepEqual([ofImages?.severity, ofRoutes?.severity, others], ['warning', 'warning', []])
  assert.equal(await storedOf(bea.accountId), await summed(bea.accountId))
  assert.deepEqual(await check(), [])
})
