// SITE_NAME appears on the server's pages and in every email.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../faults/harness/server.ts'
import { startMailServer } from '../helpers/mail-server.ts'
import { addSignedIn, createVisitor } from '../helpers/visitor.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { choose, plain } from '../site-settings/branding-helpers.ts'

const siteName = 'Rim & Ridge Trails'

void test('pages and mails have the name of the site, and none the name of the program', async (t) => {
  const mail = await startMailServer()
  t.after(() => mail.close())
  const waymark = await startWaymark({
    environment: { SITE_NAME: siteName, SMTP_URL: mail.url, SIGN_UP: 'open' },
  })
  t.after(() => waymark.close())
  const visitor = createVisitor(waymark)
  for (const path of ['/sign-in', '/reset', '/sign-up', '/device', '/problems/busy', '/oauth/authorize']) {
    const { text } = await visitor.get(path)
    assert.match(text, /<title>[^<]*Rim &amp; Ridge Trails<\/title>/, path)
    assert.doesNotMatch(text.replaceAll(/<(?:link|script|svg)[^>]*>/g, ''), /Waymark/, path)
  }

  const member = await addSignedIn(waymark)
  await visitor.post('/sign-up', { email: 'new@trails.example' })
  await visitor.post('/reset', { email: member.email })
  await until(() => mail.mails.length === 2, 'both mails')
  for (const { text } of mail.mails) {
    assert.match(text, /^From: "?Rim & Ridge Trails"? <waymark@trails\.example>$/m)
    assert.match(text, /^Subject: \[Rim & Ridge Trails\] /m)
    assert.match(text, /^-- \nRim & Ridge Trails$/m)
    assert.doesNotMatch(text, /Waymark/)
  }
})

void test('a name that an admin chooses is used in mails, passkeys and password rules at once', async (t) => {
  const mail = await startMailServer()
  t.after(() => mail.close())
  const waymark = await startWaymark({
    environment: { SITE_NAME: siteName, SMTP_URL: mail.url, SIGN_UP: 'open' },
  })
  t.after(() => waymark.close())
  const admin = await addSignedIn(waymark, 'admin')
  const mailsOf = async (count: number) => {
    await createVisitor(waymark).post('/reset', { email: admin.email })
    await until(() => mail.mails.length === count, 'a mail')
    return mail.mails.at(-1)?.text ?? ''
  }
  assert.match(await mailsOf(1), /^Subject: \[Rim & Ridge Trails\] /m)
  await choose(admin, { ...plain, name: 'Hollow Photos' })
  const text = await mailsOf(2)
  assert.match(text, /^From: "?Hollow Photos"? <waymark@trails\.example>$/m)
  assert.match(text, /^Subject: \[Hollow Photos\] /m)
  assert.match(text, /^-- \nHollow Photos$/m)
  assert.doesNotMatch(text, /Rim/)
  const options = await admin.call('POST', '/v2/me/passkey-options', {})
  assert.equal(options.status, 200, options.text)
  assert.match(options.text, /"rp":\{"name":"Hollow Photos"/)
  const changed = await admin.call('POST', '/v2/me/password', {
    current: admin.password,
    password: 'hollow photos 1',
  })
  assert.match(changed.text, /password must not be your name/)
})
