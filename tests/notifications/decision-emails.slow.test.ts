// Mails to submitters: what they say, when they come, to whom, and that none is lost (issue 6).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newestPosition } from '../../src/events/outbox.ts'
import { switchReadOnlyOff, switchReadOnlyOn } from '../../src/database/read-only.ts'
import type { Person } from '../helpers/waymark.ts'
import { bodyOf, startWithMail, subjectOf } from './decision-emails-helpers.ts'

const site = await startWithMail({ environment: { WEB_APP: 'on' } })
after(() => site.close())
const { waymark, db, pass, mails, upload, review } = site
await waymark.addTrail(7, 'Rim Trail')
const rob = await waymark.addPerson({ role: 'reviewer', name: 'Rob' })
await pass(0) // the first time: from here on

const emailOf = async ({ accountId }: Person): Promise<string> =>
  (await db.selectFrom('account').select('email').where('id', '=', accountId).executeTakeFirstOrThrow()).email

const note = 'Between us: what a mess.'

void test('the submitter is emailed about approval, and about rejection with its reason as text, without the note', async () => {
  const ana = await waymark.addPerson()
  const good = await upload(ana, 'Dawn')
  const bad = await upload(ana, 'Fog\r\nBcc: all@trails.example')
  await review(rob, good, { decision: 'approve', note })
  await review(rob, bad, { decision: 'reject', reason: 'blurred', note })
  await pass(1)
  assert.deepEqual(mails(), [], 'not before two minutes have passed')
  await pass(1)
  const [mail, ...others] = mails()
  assert.ok(mail)
  assert.deepEqual(others, [])
  assert.equal(mail.to, await emailOf(ana))
  assert.equal(subjectOf(mail), '2 of your photos were reviewed')
  const lines = bodyOf(mail).split('\n')
  assert.deepEqual(lines.slice(0, 4), [
    'Your photos were reviewed:',
    '',
    '- "Dawn", Rim Trail: published',
    `  https://trails.example/i/${good}`,
  ])
  assert.match(lines[4] ?? '', /^- "Fog Bcc: all@trails\.example", Rim Trail: rejected: \w.+$/)
  assert.doesNotMatch(lines[4] ?? '', /rejected: blurred$/, 'the words, not the code')
  assert.match(mail.text, /You can turn them off here:\nhttps:\/\/trails\.example\/account/)
  assert.doesNotMatch(mail.text, /Between us/)
  await pass(10)
  assert.deepEqual(mails(), [], 'once')
})

void test('the subject for a single photo says what was decided', async () => {
  const ana = await waymark.addPerson()
  await review(rob, await upload(ana), { decision: 'approve' })
  await pass(3)
  await review(rob, await upload(ana, 'Two'), { decision: 'reject' })
  await pass(3)
  const reported = mails()
  assert.deepEqual(reported.map(subjectOf), ['Your photo was published', 'Your photo was rejected'])
  assert.match(bodyOf(reported[0] ?? { text: '' }), /- A photo without a title, Rim Trail: published/)
  assert.match(bodyOf(reported[1] ?? { text: '' }), /- "Two", Rim Trail: rejected\n/)
})

void test('consecutive decisions come in one email: two minutes after the last, at most fifteen after the first', async () => {
  const ana = await waymark.addPerson()
  for (let made = 0; made < 14; made += 1) {
    await review(rob, await upload(ana, `P${made}`), { decision: 'approve' })
    await pass(1)
    assert.deepEqual(mails(), [], `after ${made + 1} minutes`)
  }
  await review(rob, await upload(ana, 'P14'), { decision: 'approve' })
  await pass(1)
  const [mail] = mails()
  assert.equal(subjectOf(mail ?? { text: '' }), '15 of your photos were reviewed')
})

void test('twenty photos are listed, and the rest are counted', async () => {
  const ana = await waymark.addPerson()
  for (let made = 0; made < 22; made += 1)
    await review(rob, await upload(ana, `P${made}`), { decision: 'approve' })
  await pass(2)
  const [mail] = mails()
  const text = bodyOf(mail ?? { text: '' })
  assert.equal(text.match(/^- /gm)?.length, 20)
  assert.match(text, /\nAnd 2 more\.\n/)
})

void test('a decision reversed before the email is sent is left out; a changed one is reported in its final form', async () => {
  const ana = await waymark.addPerson()
  const [takenBack, turned, gone] = [await upload(ana, 'A'), await upload(ana, 'B'), await upload(ana, 'C')]
  for (const [imageId, decisions] of [
    [takenBack, ['approve', 'reopen']],
    [turned, ['approve', 'reopen', 'reject']],
    [gone, ['approve', 'remove']],
  ] as const)
    for (const decision of decisions) await review(rob, imageId, { decision })
  await pass(2)
  const [mail, ...others] = mails()
  assert.deepEqual(others, [])
  assert.match(bodyOf(mail ?? { text: '' }), /^Your photo was reviewed:\n\n- "B", Rim Trail: rejected\n\nYou/)
})

void test('a photo that is reopened and accepted again before the email is sent is not reported', async () => {
  const ana = await waymark.addPerson()
  const imageId = await upload(ana)
  await review(rob, imageId, { decision: 'approve' })
  await pass(2)
  assert.equal(mails().length, 1)
  await review(rob, imageId, { decision: 'reopen' })
  await review(rob, imageId, { decision: 'approve' })
  await pass(2)
  assert.deepEqual(mails(), [])
})

void test('no email for submitters’ own decisions, or to accounts that opted out, are suspended or deleted', async () => {
  const admin = await waymark.addPerson({ role: 'admin' })
  await review(admin, await upload(admin), { decision: 'approve' })
  for (const change of [{ mails: 'off' }, { suspended_at: 1 }, { deleted_at: 1 }] as const) {
    const ana = await waymark.addPerson()
    const imageId = await upload(ana)
    await db.updateTable('account').set(change).where('id', '=', ana.accountId).execute()
    await review(rob, imageId, { decision: 'approve' })
  }
  const bob = await waymark.addPerson()
  await review(rob, await upload(bob), { decision: 'approve' })
  await pass(2)
  assert.deepEqual(
    mails().map(({ to }) => to),
    [await emailOf(bob)],
  )
  assert.equal(
    (await db.selectFrom('counter').selectAll().where('name', '=', 'notices').executeTakeFirst())?.value,
    await newestPosition(db),
  )
})

void test('while read-only no email is sent; afterwards it is', async () => {
  const ana = await waymark.addPerson()
  await review(rob, await upload(ana), { decision: 'approve' })
  await switchReadOnlyOn(db, waymark.system.now(), 'moving')
  await pass(3)
  assert.deepEqual(mails(), [])
  await switchReadOnlyOff(db)
  await pass(0)
  assert.equal(mails().length, 1)
})
