// Mails in German: by the language of the account, and of the request where the address has no account yet.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { until } from '../faults/harness/server.ts'
import { addMember, addSignedIn, createVisitor } from '../helpers/visitor.ts'
import { bodyOf, startWithMail, type WithMail } from './decision-emails-helpers.ts'

const german = { 'accept-language': 'de-CH,de;q=0.9,en;q=0.5' }

async function begin(t: TestContext, environment: Record<string, string> = {}): Promise<WithMail> {
  const site = await startWithMail({ environment: { WEB_APP: 'on', SIGN_UP: 'open', ...environment } })
  t.after(() => site.close())
  return site
}

async function nextMail({ mailServer }: WithMail): Promise<string> {
  await until(() => mailServer.mails.length > 0, 'a mail')
  return mailServer.mails.shift()?.text ?? ''
}

void test('a sign-up link comes in the language of the request, which becomes that of the account', async (t) => {
  const site = await begin(t)
  const visitor = createVisitor(site.waymark)
  await visitor.post('/sign-up', { email: 'new@trails.example' }, german)
  const link = /https:\S+/.exec(bodyOf({ text: await nextMail(site) }).split('\n\n')[1] ?? '')?.[0] ?? ''
  const page = await visitor.get(link, german)
  assert.match(page.text, /<html lang="de">[\s\S]*Deine Adresse ist bestätigt/)
  const fields = { name: 'Neu', password: 'a whole new word' }
  assert.equal((await visitor.post(link, fields, german)).status, 303)
  const me = JSON.parse((await visitor.call('GET', '/v2/me')).text) as { language: unknown }
  assert.equal(me.language, 'de')
  await visitor.call('POST', '/v2/me/password', { current: fields.password, password: 'yet another word' })
  assert.match(await nextMail(site), /Dein Passwort wurde geändert, und alle anderen Browser/)
  // A stranger who reads English asks for the same address.
  await createVisitor(site.waymark).post('/sign-up', { email: 'new@trails.example' })
  assert.match(await nextMail(site), /Subject: \[Waymark\] Du hast schon ein Konto/)
})

void test('an account without a language gets requested emails in the language of the request, and all others in English', async (t) => {
  const site = await begin(t)
  const member = await addMember(site.waymark)
  await createVisitor(site.waymark).post('/reset', { email: member.email }, german)
  const mail = await nextMail(site)
  assert.match(mail, /möchte ein neues Passwort[\s\S]*Dein Passwort hat sich nicht geändert/)
  const link = /https:\S+/.exec(bodyOf({ text: mail }))?.[0] ?? ''
  await createVisitor(site.waymark).post(link, { password: 'a whole new word' }, german)
  assert.match(await nextMail(site), /Your password was changed/)
})

void test('an invitation comes in the admin’s language, and a deletion notice in that of the account', async (t) => {
  const site = await begin(t)
  const admin = await addSignedIn(site.waymark, 'admin')
  const invitation = { email: 'guest@trails.example', role: 'member' }
  assert.equal((await admin.call('POST', '/v2/admin/invitations', invitation, german)).status, 201)
  assert.match(await nextMail(site), /Du bist eingeladen[\s\S]*innerhalb von sieben Tagen/)
  const member = await addSignedIn(site.waymark)
  await member.call('PATCH', '/v2/me', { language: 'de' })
  assert.equal((await member.call('DELETE', '/v2/me', { photos: 'keep' })).status, 200)
  assert.match(await nextMail(site), /Gelöschte Fotos: 0\. [\s\S]*Gelöschte Routen: 0\./)
})

void test('decisions and the daily email to staff come in the language of each recipient', async (t) => {
  const site = await begin(t, { REVIEW_MAIL_HOUR: '10' })
  const { waymark, db, pass, mails, upload, review } = site
  await waymark.addTrail(7, 'Höhenweg')
  const ana = await waymark.addPerson()
  const rob = await waymark.addPerson({ role: 'reviewer' })
  await waymark.addPerson({ role: 'admin' })
  await pass(0)
  for (const { accountId } of [ana, rob])
    await db.updateTable('account').set({ language: 'de' }).where('id', '=', accountId).execute()
  await review(rob, await upload(ana, 'Morgen'), { decision: 'approve' })
  await review(rob, await upload(ana), { decision: 'reject' })
  await upload(ana)
  await pass(2)
  const [decisions] = mails()
  assert.match(
    decisions?.text ?? '',
    /Deine Fotos wurden geprüft:\n\n- „Morgen“, Höhenweg: veröffentlicht\n.*\n- Ein Foto ohne Titel, Höhenweg: abgelehnt\n\nDu bekommst/,
  )
  await pass(60)
  const reported = mails().map(({ to, text }) => `${to} ${bodyOf({ text }).split('\n')[0] ?? ''}`)
  assert.deepEqual(reported.toSorted(), [
    'person2@trails.example 1 Foto wartet auf Prüfung:',
    'person3@trails.example 1 photo is pending review:',
  ])
})
