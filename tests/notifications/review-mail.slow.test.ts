// The daily mail to staff: how many photos wait, once a day, whoever is limited to which trails (issue 6).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { bodyOf, minute, startWithMail, subjectOf, type WithMail } from './decision-emails-helpers.ts'

const hours = 60

/** The clock of tests begins at 9:08 UTC. */
async function begin(
  environment: Record<string, string>,
  options: { refusing?: number } = {},
): Promise<WithMail> {
  const site = await startWithMail({ environment: { WEB_APP: 'on', ...environment }, ...options })
  await site.waymark.addTrail(7, 'Seven')
  await site.waymark.addTrail(8, 'Eight')
  return site
}

const reported = ({ mails }: WithMail): string[] =>
  mails()
    .map((mail) => {
      assert.match(bodyOf(mail), /^https:\/\/trails\.example\/review$/m)
      return `${mail.to}: ${subjectOf(mail)}`
    })
    .toSorted()

void test('staff are emailed once a day, from the set hour on, with the number of photos pending on their trails', async (t) => {
  const site = await begin({ REVIEW_MAIL_HOUR: '10' })
  t.after(() => site.close())
  const { waymark, db, pass, upload } = site
  const ana = await waymark.addPerson() // person1
  const limited = await waymark.addPerson({ role: 'reviewer' })
  const idle = await waymark.addPerson({ role: 'reviewer' })
  await waymark.addPerson({ role: 'reviewer' }) // person4
  await waymark.addPerson({ role: 'admin' }) // person5
  const silent = await waymark.addPerson({ role: 'admin' })
  await waymark.addTrail(9, 'Nine')
  await db
    .insertInto('account_trail')
    .values([
      { account_id: limited.accountId, trail_id: 8 },
      { account_id: idle.accountId, trail_id: 9 },
    ])
    .execute()
  await db.updateTable('account').set({ mails: 'off' }).where('id', '=', silent.accountId).execute()
  await upload(ana, '', 7)
  await upload(ana, '', 8)
  await pass(30)
  assert.deepEqual(reported(site), [], '9:38')
  await pass(30)
  assert.deepEqual(
    reported(site),
    [
      'person2@trails.example: 1 photo is pending review',
      'person4@trails.example: 2 photos are pending review',
      'person5@trails.example: 2 photos are pending review',
    ],
    '10:08',
  )
  await pass(0)
  await pass(13 * hours)
  assert.deepEqual(reported(site), [], '23:08')
  await pass(10 * hours)
  assert.deepEqual(reported(site), [], '9:08 of the next day')
  await pass(1 * hours)
  assert.equal(reported(site).length, 3, '10:08 of the next day')
})

void test('of two servers only one sends, and none does if no photo is pending', async (t) => {
  const site = await begin({ REVIEW_MAIL_HOUR: '6' })
  t.after(() => site.close())
  const { waymark, db, pass, upload } = site
  await waymark.addPerson({ role: 'admin' })
  await pass(0)
  assert.deepEqual(reported(site), [])
  await upload(await waymark.addPerson())
  await pass(24 * hours)
  assert.equal(reported(site).length, 1)
  const day = Math.floor(waymark.system.now() / (24 * hours * minute)) + 1
  await db.updateTable('counter').set({ value: day }).where('name', '=', 'review-mail').execute()
  await pass(24 * hours)
  assert.deepEqual(reported(site), [], 'another server has told them')
})

void test('REVIEW_MAIL_HOUR=off sends no emails', async (t) => {
  const site = await begin({ REVIEW_MAIL_HOUR: 'off' })
  t.after(() => site.close())
  await site.waymark.addPerson({ role: 'admin' })
  await site.upload(await site.waymark.addPerson())
  await site.pass(48 * hours)
  assert.deepEqual(reported(site), [])
})

void test('if the mail server does not respond, sending is retried the same day', async (t) => {
  const site = await begin({ REVIEW_MAIL_HOUR: '6' }, { refusing: 4 })
  t.after(() => site.close())
  await site.waymark.addPerson({ role: 'admin' })
  await site.waymark.addPerson({ role: 'admin' })
  await site.upload(await site.waymark.addPerson())
  await site.pass(0)
  await site.pass(1)
  await site.pass(5)
  assert.deepEqual(reported(site), [])
  await site.pass(5)
  for (let tries = 0; tries < 3_000 && site.mailServer.mails.length < 2; tries += 1) await pause(10)
  assert.equal(reported(site).length, 2)
  await site.pass(60)
  assert.deepEqual(reported(site), [])
})

void test('full mailboxes do not delay other emails, however many there are', async (t) => {
  const site = await begin({ REVIEW_MAIL_HOUR: '6' })
  t.after(() => site.close())
  for (let admin = 1; admin <= 5; admin += 1) {
    await site.waymark.addPerson({ role: 'admin' })
    if (admin < 5) site.mailServer.refuseTo(`person${admin}@trails.example`, '452 mailbox full')
  }
  await site.upload(await site.waymark.addPerson())
  await site.pass(0)
  await site.pass(5)
  assert.deepEqual(reported(site), ['person5@trails.example: 1 photo is pending review'])
  await site.pass(60)
  assert.deepEqual(reported(site), [], 'the day is done')
})
