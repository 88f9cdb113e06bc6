// The page /account and its forms, as a person without scripts meets them: what they do, what they refuse, what they show.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { registerClient } from '../../../src/auth/oauth-clients.ts'
import { saveConsent } from '../../../src/auth/consent-table.ts'
import { doneMessages } from '../../../src/me/done-messages.ts'
import { addMember, addSignedIn, createVisitor, type Answer, type Visitor } from '../../helpers/visitor.ts'
import { startWaymark } from '../../helpers/waymark.ts'

const waymark = await startWaymark({ environment: { PUBLIC_URL: 'https://trails.example/photos' } })
after(() => waymark.close())
const { db } = waymark.installation.database
await waymark.addTrail(1, 'Rim Trail')
const nasty = `<script>alert(1)</script>"'&`
const escaped = '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;'

const here = ({ location }: Answer): string => (location ?? '').replace('/photos', '')

/** Sends a form and follows where it leads. @returns the account page. */
async function send(visitor: Visitor, path: string, fields: Record<string, string>): Promise<string> {
  const answer = await visitor.post(path, fields)
  assert.equal(answer.status, 303, answer.text)
  assert.match(answer.location ?? '', /^\/photos\/account\?done=[a-z-]+#[a-z]+$/)
  const page = await visitor.get(here(answer))
  assert.equal(page.status, 200)
  const code = /done=([a-z-]+)/.exec(here(answer))?.[1] as keyof typeof doneMessages
  assert.ok(page.text.includes(doneMessages[code].text), code)
  return page.text
}

const onceIn = (text: string): string => /name="once" value="([\w-]{36})"/.exec(text)?.[1] ?? ''
const secretIn = (text: string): string =>
  /<pre class="secret"[^>]*><code>\s*([^<\s]+)\s*<\/code>/.exec(text)?.[1] ?? ''

void test('whoever is not signed in signs in first, and comes back to where they wanted', async () => {
  const visitor = createVisitor(waymark)
  for (const path of ['/account', '/account/keys/wm_12345678', '/account/clients/wmc_1']) {
    const answer = await visitor.get(path)
    assert.equal(answer.status, 303)
    assert.equal(answer.location, `/photos/sign-in?next=${path}`)
  }
  const member = await addMember(waymark)
  const page = await member.get('/sign-in?next=/account')
  assert.match(page.text, /name="next" value="\/account"/)
  const { email, password } = member
  assert.equal(
    (await member.post('/sign-in', { email, password, next: '/account' })).location,
    '/photos/account',
  )
  const posted = await visitor.post('/account/name', { displayName: 'X' })
  assert.equal(posted.location, '/photos/sign-in?next=/account')
})

void test('the page shows the account, says what is missing, and every address on it is below the mount path', async () => {
  const member = await addSignedIn(waymark)
  const { text, headers } = await member.get('/account')
  assert.match(headers.get('cache-control') ?? '', /no-store/)
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/)
  for (const words of [
    String(member.accountId),
    member.email,
    '(not confirmed)',
    '<time datetime="2026-05-14T09:08:07Z"',
    '14 May 2026, 09:08 UTC',
    'this browser',
    'No other browser is signed in',
    'Make one for each site',
    'None. When an application asks',
    'Register one to get its client ID',
  ]) {
    assert.ok(text.includes(words), words)
  }
  const addresses = [...text.matchAll(/(?:href|src|action)="([^"#][^"]*)"/g)].map(
    ([, address = '']) => address,
  )
  assert.ok(addresses.length >= 10)
  for (const address of addresses) assert.match(address, /^\/photos\//)
  assert.doesNotMatch(text, /<script>|javascript:| on\w+=/)
  const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  assert.deepEqual(ids.length, new Set(ids).size, ids.join(' '))
})

void test('a done message is one of a closed list: nothing in the address puts words on the page', async () => {
  const member = await addSignedIn(waymark)
  const plain = (await member.get('/account')).text.replaceAll(/value="[\w-]{36}"/g, '')
  for (const done of ['', 'nonsense', 'toString', '__proto__', nasty]) {
    const { status, text } = await member.get(`/account?done=${encodeURIComponent(done)}`)
    assert.equal(status, 200)
    assert.equal(text.replaceAll(/value="[\w-]{36}"/g, ''), plain)
  }
  assert.equal((await member.get('/account?done=name-changed&done=key-revoked')).status, 200)
  assert.match((await member.get('/account?done=name-changed')).text, /Your name is changed/)
})

void test('name, address and password are changed by forms; what cannot be taken is said where it stands', async () => {
  const member = await addSignedIn(waymark)
  const named = await send(member, '/account/name', { displayName: nasty })
  assert.ok(named.includes(escaped))
  assert.ok(!named.includes('<script>'))

  const blank = await member.post('/account/name', { displayName: ' ' })
  assert.equal(blank.status, 400)
  assert.match(blank.text, /id="profile"[^]*role="alert"[^]*1 to 256 characters/)

  const { password } = member
  const wrong = await member.post('/account/email', { email: nasty, password: 'no' })
  assert.equal(wrong.status, 400)
  assert.ok(wrong.text.includes(escaped) && !wrong.text.includes('<script>'))
  const guess = await member.post('/account/email', { email: 'b@trails.example', password: 'no' })
  assert.equal(guess.status, 403)
  assert.match(guess.text, /The password is not right\./)
  assert.match(guess.text, /<details open>\s*<summary>Change your e-mail address/)
  assert.ok(guess.text.includes('value="b@trails.example"'))
  const moved = await send(member, '/account/email', { email: 'b@trails.example', password })
  assert.ok(moved.includes('b@trails.example'))

  const short = await member.post('/account/password', { current: password, password: 'x' })
  assert.equal(short.status, 400)
  assert.doesNotMatch(short.text, new RegExp(password), 'no password is ever put back on a page')
  await send(member, '/account/password', { current: password, password: 'quite another one' })
  const again = await member.post('/sign-in', { email: 'b@trails.example', password: 'quite another one' })
  assert.equal(again.status, 303)
})

void test('browsers are named in words, signed out one by one or all others', async () => {
  const member = await addSignedIn(waymark)
  const { email, password } = member
  const elsewhere = createVisitor(waymark)
  const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
  await elsewhere.post('/sign-in', { email, password }, { 'user-agent': agent })
  const other = createVisitor(waymark)
  await other.post('/sign-in', { email, password }, { 'user-agent': nasty })
  const { text } = await member.get('/account')
  assert.ok(text.includes('Firefox on Linux'))
  assert.ok(text.includes(escaped) && !text.includes('<script>'))
  const form = /Sign out Firefox on Linux"[^]*?name="session" value="([^"]+)"/.exec(text)
  await send(member, '/account/sessions/end', { session: form?.[1] ?? '' })
  assert.equal((await elsewhere.get('/account')).status, 303)
  const gone = await member.post('/account/sessions/end', { session: form?.[1] ?? '' })
  assert.equal(gone.status, 404)
  assert.match(gone.text, /That browser is signed out already\./)
  assert.equal((await other.get('/account')).status, 200)
  await send(member, '/account/sessions/end-others', {})
  assert.equal((await other.get('/account')).status, 303)
  assert.equal((await member.get('/account')).status, 200)
})

void test('C28 C18: a key is made once however often its form is sent, shown once, replaced and revoked on a page of its own', async () => {
  const member = await addSignedIn(waymark)
  const once = onceIn((await member.get('/account')).text)
  const fields = { once, name: nasty, expires: '90' }
  const made = await member.post('/account/keys', fields)
  assert.equal(made.status, 200)
  assert.match(made.headers.get('cache-control') ?? '', /no-store/)
  const apiKey = secretIn(made.text)
  assert.match(apiKey, /^wm_[\w-]{43}$/)
  const opens = async (key: string) =>
    (await waymark.fetch('/Trails/1/Images', { headers: { 'x-api-key': key } })).status === 200
  assert.equal(await opens(apiKey), true)

  const repeated = await member.post('/account/keys', fields)
  assert.equal(repeated.status, 409)
  assert.match(repeated.text, /This very request was carried out/)
  assert.ok(!repeated.text.includes(apiKey))
  const page = (await member.get('/account')).text
  const prefix = apiKey.slice(0, 11)
  assert.equal(page.split(`<code>${prefix}</code>`).length - 1, 1)
  assert.ok(page.includes(escaped) && !page.includes('<script>') && !page.includes(apiKey))
  assert.match(page, /12 Aug 2026, 09:08 UTC/)

  const own = `/account/keys/${prefix}`
  const keyPage = await member.get(own)
  assert.equal(keyPage.status, 200)
  const replaced = await member.post(`${own}/rotate`, { once: onceIn(keyPage.text), overlap: '1' })
  const second = secretIn(replaced.text)
  assert.deepEqual([await opens(apiKey), await opens(second)], [true, true])
  assert.match((await member.get(own)).text, /replaced already/)
  assert.doesNotMatch((await member.get(own)).text, /\/rotate"/)
  const ownSecond = `/account/keys/${second.slice(0, 11)}`
  await send(member, `${ownSecond}/revoke`, {})
  assert.deepEqual([await opens(apiKey), await opens(second)], [true, false])
  assert.equal((await member.get(ownSecond)).status, 404)

  const stranger = await addSignedIn(waymark)
  assert.equal((await stranger.get(own)).status, 404)
  assert.equal((await stranger.post(`${own}/revoke`, {})).status, 404)
  assert.equal((await stranger.post(`${own}/rotate`, {})).status, 404)
  assert.equal(await opens(apiKey), true)
  const wrongs: Record<string, string>[] = [{ name: '' }, { name: 'a', expires: '7' }]
  for (const wrong of wrongs) {
    const answer = await member.post('/account/keys', { once: '', ...wrong })
    assert.equal(answer.status, 400)
    assert.match(answer.text, /<details open>\s*<summary>Make a key/)
  }
})

void test('C29: what applications were allowed is told in words, and taken back', async () => {
  const member = await addSignedIn(waymark)
  const publisher = await waymark.addPerson({ name: nasty })
  const { clientId } = await registerClient(db, {
    accountId: publisher.accountId,
    name: `Gallery ${nasty}`,
    scope: 'images:read',
    isPublic: true,
    redirectUris: ['https://gallery.example/'],
    now: 0,
  })
  await saveConsent(db, { accountId: member.accountId, clientId, scope: 'images:read', grantedAt: 0 })
  const { text } = await member.get('/account')
  assert.ok(text.includes(`Gallery ${escaped}`) && !text.includes('<script>'))
  assert.ok(text.includes('See your photos'))
  const after = await send(member, '/account/apps/revoke', { clientId })
  assert.ok(!after.includes('Gallery'))
  assert.equal((await member.post('/account/apps/revoke', { clientId })).status, 404)
})

void test('C29: an application is registered, changed, given a new secret and removed on pages', async () => {
  const member = await addSignedIn(waymark)
  const start = (await member.get('/account')).text
  assert.ok(!start.includes('images:review'), 'a member is not offered what the role does not give')
  const fields = {
    once: onceIn(start),
    name: nasty,
    redirectUris: 'https://a.example/back\r\nhttp://127.0.0.1/back',
    'images:read': 'yes',
  }
  const made = await member.post('/account/clients', fields)
  assert.equal(made.status, 200, made.text)
  assert.match(secretIn(made.text), /^wms_/)
  assert.equal((await member.post('/account/clients', fields)).status, 409)
  const clientId = /wmc_[\w-]+/.exec(made.text)?.[0] ?? ''
  const own = `/account/clients/${clientId}`
  const page = await member.get(own)
  assert.ok(page.text.includes(escaped) && !page.text.includes('<script>'))
  assert.match(page.text, /https:\/\/a\.example\/back\nhttp:\/\/127\.0\.0\.1\/back<\/textarea>/)

  const { once: _once, ...kept } = fields
  const wrong = await member.post(`${own}/change`, { ...kept, redirectUris: `javascript:${nasty}` })
  assert.equal(wrong.status, 400)
  assert.ok(wrong.text.includes(`javascript:${escaped}`) && !wrong.text.includes('<script>'))
  const none = await member.post(`${own}/change`, { name: 'No scopes' })
  assert.equal(none.status, 400)
  assert.match(none.text, /name at least one of/)
  const sly = await member.post(`${own}/change`, { name: 'Sly', 'images:review': 'yes' })
  assert.equal(sly.status, 400)
  const changed = await send(member, `${own}/change`, { name: 'Renamed', 'images:write': 'yes' })
  assert.ok(changed.includes('Renamed'))

  const renewed = await member.post(`${own}/secret`, { once: onceIn((await member.get(own)).text) })
  assert.match(secretIn(renewed.text), /^wms_/)
  const stranger = await addSignedIn(waymark)
  assert.equal((await stranger.get(own)).status, 404)
  for (const act of ['change', 'secret', 'remove']) {
    const answer = await stranger.post(`${own}/${act}`, { name: 'x', 'images:read': 'yes' })
    assert.equal(answer.status, 404, act)
  }
  const removed = await send(member, `${own}/remove`, {})
  assert.ok(removed.includes('Register one to get its client ID'))
  assert.equal((await member.get(own)).status, 404)
})
