// That no mail about a photo is lost: over restarts, over a mail server that is down, and beside other servers (issue 6).
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { createLease } from '../../src/database/leases.ts'
import { parentOfFolders } from '../helpers/folders.ts'
import { bodyOf, minute, startWithMail } from './decision-emails-helpers.ts'

void test('a restart loses none and repeats none, even while one submitter’s mail is still waiting', async (t) => {
  const dataDir = await mkdtemp(path.join(parentOfFolders(), 'waymark-notices-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const first = await startWithMail({ dataDir })
  const { waymark, upload, review, pass, mails } = first
  await waymark.addTrail(7, 'Rim Trail')
  const rob = await waymark.addPerson({ role: 'reviewer' })
  const [ana, bob] = [await waymark.addPerson(), await waymark.addPerson()]
  await pass(0)
  // Ana's first decision comes before Bob's, and hers go on, so that the cursor stays behind what Bob was told.
  await review(rob, await upload(ana, 'A1'), { decision: 'approve' })
  await review(rob, await upload(bob, 'B1'), { decision: 'approve' })
  waymark.system.advance(minute)
  await review(rob, await upload(ana, 'A2'), { decision: 'approve' })
  await pass(1)
  assert.deepEqual(
    mails()
      .map(bodyOf)
      .map((text) => /"(\w+)"/.exec(text)?.[1]),
    ['B1'],
  )
  const now = waymark.system.now()
  await first.close()

  const second = await startWithMail({ dataDir })
  t.after(() => second.close())
  second.waymark.system.advance(now - second.waymark.system.now())
  await second.pass(0)
  assert.deepEqual(second.mails(), [])
  await second.pass(2)
  const [mail, ...others] = second.mails()
  assert.deepEqual(others, [], 'Bob was told already')
  assert.deepEqual(bodyOf(mail ?? { text: '' }).match(/"\w+"/g), ['"A1"', '"A2"'])
  await second.pass(60)
  assert.deepEqual(second.mails(), [])
  const marks = await second.db
    .selectFrom('counter')
    .select('name')
    .where('name', 'like', 'notices:%')
    .execute()
  assert.deepEqual(marks, [], 'nothing is kept of who was told')
})

void test('a mail server that is down for an hour only delays the emails', async (t) => {
  const site = await startWithMail({ refusing: Number.POSITIVE_INFINITY })
  t.after(() => site.close())
  const { waymark, upload, review, pass, mails, mailServer } = site
  await waymark.addTrail(7, 'Rim Trail')
  const rob = await waymark.addPerson({ role: 'reviewer' })
  await pass(0)
  for (let made = 0; made < 5; made += 1) {
    const person = await waymark.addPerson()
    await review(rob, await upload(person), { decision: 'approve' })
  }
  for (let passed = 0; passed < 60; passed += 5) await pass(5)
  assert.deepEqual(mails(), [])
  mailServer.refuse(0)
  for (let passed = 0; passed < 20; passed += 1) await pass(1)
  const reported = mails().map(({ to }) => to)
  assert.equal(new Set(reported).size, 5)
  assert.equal(reported.length, 5)
})

void test('an address that the mail server rejects delays no other mail, now or later', async (t) => {
  const site = await startWithMail()
  t.after(() => site.close())
  const { waymark, upload, review, pass, mails, mailServer, db } = site
  await waymark.addTrail(7, 'Rim Trail')
  const rob = await waymark.addPerson({ role: 'reviewer' })
  await pass(0)
  const [full, unknown, bob] = [
    await waymark.addPerson(),
    await waymark.addPerson(),
    await waymark.addPerson(),
  ]
  await db
    .updateTable('account')
    .set({ email: 'full@trails.example' })
    .where('id', '=', full.accountId)
    .execute()
  await db
    .updateTable('account')
    .set({ email: 'unknown@trails.example' })
    .where('id', '=', unknown.accountId)
    .execute()
  mailServer.refuseTo('full@trails.example', '452 mailbox full')
  mailServer.refuseTo('unknown@trails.example', '550 no such mailbox')
  for (const person of [full, unknown, bob]) await review(rob, await upload(person), { decision: 'approve' })
  await pass(2)
  assert.equal(mails().length, 1, 'Bob has his')
  await review(rob, await upload(bob), { decision: 'approve' })
  await pass(2)
  assert.equal(mails().length, 1, 'and the next')
  mailServer.refuseTo('full@trails.example', undefined)
  mailServer.refuseTo('unknown@trails.example', undefined)
  await pass(15)
  assert.deepEqual(
    mails().map(({ to }) => to),
    ['full@trails.example'],
    'tried again; the unknown one is given up',
  )
})

void test('an email that cannot be sent for two days is given up, and the next one is sent', async (t) => {
  const site = await startWithMail({ refusing: Number.POSITIVE_INFINITY })
  t.after(() => site.close())
  const { waymark, upload, review, pass, mails, mailServer } = site
  await waymark.addTrail(7, 'Rim Trail')
  const rob = await waymark.addPerson({ role: 'reviewer' })
  const ana = await waymark.addPerson()
  await pass(0)
  await review(rob, await upload(ana, 'Old'), { decision: 'approve' })
  await pass(3)
  await pass(49 * 60)
  mailServer.refuse(0)
  await review(rob, await upload(ana, 'New'), { decision: 'approve' })
  await pass(20)
  assert.deepEqual(
    mails().map((mail) => bodyOf(mail).match(/"\w+"/g)),
    [['"New"']],
  )
})

void test('an existing installation starts with new decisions only', async (t) => {
  const site = await startWithMail()
  t.after(() => site.close())
  const { waymark, upload, review, pass, mails } = site
  await waymark.addTrail(7, 'Rim Trail')
  const rob = await waymark.addPerson({ role: 'reviewer' })
  const ana = await waymark.addPerson()
  await review(rob, await upload(ana, 'Old'), { decision: 'approve' })
  await pass(10)
  await review(rob, await upload(ana, 'New'), { decision: 'approve' })
  await pass(10)
  assert.deepEqual(
    mails().map((mail) => bodyOf(mail).match(/"\w+"/g)),
    [['"New"']],
  )
})

void test('of several servers only one sends at a time, and another continues where it died', async (t) => {
  const site = await startWithMail()
  t.after(() => site.close())
  const { waymark, upload, review, pass, mails, db } = site
  await waymark.addTrail(7, 'Rim Trail')
  const rob = await waymark.addPerson({ role: 'reviewer' })
  const ana = await waymark.addPerson()
  await pass(0)
  await review(rob, await upload(ana), { decision: 'approve' })
  let at = waymark.system.now() + 2 * minute
  const leaseOf = () => createLease(db, { name: 'notices-lease', lengthMs: 2 * minute, now: () => at })
  const other = leaseOf()
  assert.ok(await other.hold(), 'the other server has it')
  await pass(2)
  assert.deepEqual(mails(), [])
  await pass(2)
  assert.equal(mails().length, 1)
  at = waymark.system.now()
  assert.equal(await other.hold(), false, 'the other one has lost it')
  at -= 24 * 60 * minute
  assert.ok(await leaseOf().hold(), 'a clock that was ahead holds it for no day')
})
