// waymark check --audit finds changed, inserted and deleted history rows, with their position (C23, D4).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Updateable } from 'kysely'
import { chainDigest } from '../../src/database/history-chain.ts'
import { checkHistory, type NotedDigest, type Wrong } from '../../src/review/history-check.ts'
import type { Tx } from '../../src/database/database.ts'
import type { ImageHistoryTable } from '../../src/database/schema.ts'
import { assertOneSentence, run, runJson } from '../cli/run-waymark.ts'
import { imageAfter, edit, startReview, upload } from './review-client.ts'

const place = await startReview()
after(() => place.waymark.close())
const { waymark, db } = place
const imageId = await imageAfter(place, 'approve')
await edit(place, imageId, { title: 'A' })
await imageAfter(place, 'reject', 'restore', 'remove')
await upload(place)
const positions = (await db.selectFrom('image_history').select('position').orderBy('position').execute()).map(
  ({ position }) => position,
)
const [second = 0, third = 0, last = 0] = [positions[1], positions[2], positions.at(-1)]

/** What the check says of the history after that, none of which stays. */
async function found(tamper: (tx: Tx) => Promise<unknown>, noted?: NotedDigest) {
  const undone = new Error('undone')
  let checked: Awaited<ReturnType<typeof checkHistory>> | undefined
  await assert.rejects(
    db.transaction().execute(async (tx) => {
      await tamper(tx)
      checked = await checkHistory(tx, noted)
      throw undone
    }),
    undone,
  )
  assert.ok(checked)
  return checked
}

async function assertFound(
  position: number,
  what: Wrong,
  tamper: (tx: Tx) => Promise<unknown>,
): Promise<void> {
  const { fault, rows, newest } = await found(tamper)
  assert.deepEqual([fault?.position, fault?.what], [position, what], fault?.detail ?? 'no fault')
  assert.match(fault?.detail ?? '', /^[A-Z].+\.$/)
  const before = positions.filter((one) => one < position)
  assert.equal(rows, before.length, 'all before it are whole')
  assert.equal(newest?.position, before.at(-1))
}

const at = (position: number, change: Updateable<ImageHistoryTable>) => (tx: Tx) =>
  tx.updateTable('image_history').set(change).where('position', '=', position).execute()

void test('C23: an unmodified history is valid, with the digest of its newest row', async () => {
  assert.notEqual(second + 1, third, 'an edit lies between, which is an event and no move')
  const { rows, newest, fault } = await checkHistory(db)
  assert.deepEqual([rows, newest?.position, fault], [positions.length, last, undefined])
  const row = await db
    .selectFrom('image_history')
    .select('digest')
    .where('position', '=', last)
    .executeTakeFirstOrThrow()
  assert.equal(newest?.digest, row.digest)
})

void test('C23: any change to a row is detected, and so is a digest recomputed for it', async () => {
  for (const change of [
    { actor_id: place.eve.accountId },
    { reason: 'blurred' },
    { note: 'x' },
    { digest: 'f'.repeat(64) },
    { at: 1 },
    { image_id: 42 },
    { from_state: 'rejected' as const },
    { to_state: 'removed' as const },
  ])
    await assertFound(second, 'changed', at(second, change))
  // Whoever knows how makes the row fit; then the next one does not.
  await assertFound(third, 'changed', async (tx) => {
    const rows = await tx.selectFrom('image_history').selectAll().orderBy('position').limit(2).execute()
    const [before, row] = rows
    assert.ok(before && row)
    const { digest: _digest, ...changed } = { ...row, note: 'x' }
    await at(second, { note: 'x', digest: chainDigest(before.digest, changed) })(tx)
  })
})

void test('C23: removed or inserted rows are detected, in the middle and at both ends', async () => {
  const take = (tx: Tx, ...gone: number[]) =>
    tx.deleteFrom('image_history').where('position', 'in', gone).execute()
  const takeEvents = (tx: Tx, ...gone: number[]) =>
    tx.deleteFrom('outbox').where('position', 'in', gone).execute()
  await assertFound(positions[0] ?? 0, 'missing', (tx) => take(tx, positions[0] ?? 0))
  await assertFound(second, 'missing', (tx) => take(tx, second))
  await assertFound(last, 'missing', (tx) => take(tx, last))
  await assertFound(second, 'inserted', (tx) => takeEvents(tx, second))
  // With its event, the one after it no longer follows.
  const { fault: unfollowed } = await found(async (tx) => {
    await take(tx, second)
    await takeEvents(tx, second)
  })
  assert.deepEqual([unfollowed?.position, unfollowed?.what], [third, 'changed'])
  assert.match(unfollowed?.detail ?? '', /or an earlier row was removed/)
  // The end with its event: what was given out tells. Where that is put back, only the digest that was noted does.
  const cut = async (tx: Tx) => {
    await take(tx, last)
    await takeEvents(tx, last)
  }
  await assertFound(last, 'missing', cut)
  const { fault, newest } = await found(async (tx) => {
    await cut(tx)
    await tx
      .updateTable('counter')
      .set({ value: last - 1 })
      .where('name', '=', 'outbox')
      .execute()
  })
  assert.equal(fault, undefined)
  assert.notEqual(newest?.position, last)
  const noted = (await checkHistory(db)).newest
  assert.ok(noted)
  const back = await found(async (tx) => {
    await cut(tx)
    await tx
      .updateTable('counter')
      .set({ value: last - 1 })
      .where('name', '=', 'outbox')
      .execute()
  }, noted)
  assert.deepEqual([back.fault?.position, back.fault?.what], [last, 'changed'])
  const other = await checkHistory(db, { position: second, digest: noted.digest })
  assert.equal(other.fault?.position, second, 'a digest of another position is no digest of this one')
  await assertFound(last + 1, 'inserted', async (tx) => {
    const row = await tx
      .selectFrom('image_history')
      .selectAll()
      .where('position', '=', last)
      .executeTakeFirstOrThrow()
    await tx
      .insertInto('image_history')
      .values({ ...row, position: last + 1 })
      .execute()
  })
})

void test('D4: check --audit reports the number of intact rows and the newest digest, and exits with 2 on damage', async () => {
  const { dataDir } = waymark
  const { newest } = await checkHistory(db)
  const [whole, wrong] = await Promise.all([
    run(['check', '--noted', `${last}:${newest?.digest ?? ''}`], { dataDir }),
    run(['check', '--noted', `${last}:abc`], { dataDir }),
  ])
  assert.equal(whole.exitCode, 0, whole.stderr)
  assert.ok(
    whole.stdout.includes(
      `The history: ${positions.length} rows are intact; the newest is ${last}:${newest?.digest}.\n`,
    ),
    whole.stdout,
  )
  assert.equal(wrong.exitCode, 1)
  assertOneSentence(wrong.stderr)
  const { note } = await db
    .selectFrom('image_history')
    .select('note')
    .where('position', '=', second)
    .executeTakeFirstOrThrow()
  await at(second, { note: 'It was not me.' })(db as Tx)
  const { exitCode, document } = await runJson(['check', '--audit'], { dataDir })
  await at(second, { note })(db as Tx)
  const { ok, problems, history } = document as { ok: boolean; problems: { what: string }[]; history: object }
  assert.deepEqual([exitCode, ok, problems.map(({ what }) => what)], [2, false, ['history']])
  assert.partialDeepStrictEqual(history, { rows: 1, fault: { position: second, what: 'changed' } })
})

void test('D: dismissed reports are part of the history, and not an error in it', async () => {
  const reported = await imageAfter(place, 'approve')
  const report = await waymark.fetch(`/v2/images/${reported}/reports`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ reason: 'privacy' }),
  })
  assert.equal(report.status, 201)
  const dismissal = await waymark.fetch(`/v2/images/${reported}/reports/dismiss`, {
    method: 'POST',
    token: place.rob.token,
  })
  assert.deepEqual([dismissal.status, await dismissal.json()], [200, { closed: 1 }])
  const { count } = await db
    .selectFrom('image_history')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  const { fault, rows } = await checkHistory(db)
  assert.deepEqual([fault, rows], [undefined, count])
})
