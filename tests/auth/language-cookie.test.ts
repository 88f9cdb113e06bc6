// A person's chosen language reaches a new browser by a cookie set at sign-in.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { languageCookieFor } from '../../src/auth/language-cookie.ts'
import { addSignedIn, createVisitor } from '../helpers/visitor.ts'
import { startWaymark } from '../helpers/waymark.ts'

const waymark = await startWaymark()
after(() => waymark.close())

const cookiesOf = ({ headers }: { readonly headers: Headers }): string[] =>
  headers.getSetCookie().filter((cookie) => cookie.startsWith('waymark_language='))

void test('signing in in a new browser restores the chosen language, and pages are in it', async () => {
  const { email, password, call } = await addSignedIn(waymark)
  assert.equal((await call('PATCH', '/v2/me', { language: 'de' })).status, 200)
  const browser = createVisitor(waymark)
  assert.match((await browser.get('/sign-in')).text, /<html lang="en">/)
  const answer = await browser.post('/sign-in', { email, password })
  assert.equal(answer.status, 303)
  assert.deepEqual(cookiesOf(answer), ['waymark_language=de; Max-Age=31536000; Path=/; Secure; SameSite=Lax'])
  assert.match((await browser.get('/sign-in')).text, /<html lang="de">/)
  assert.match((await browser.call('GET', '/v2/nothing')).text, /Unter dieser Adresse gibt es nichts/)
})

void test('no cookie for accounts without a choice, for a browser that has one, and if the pages are in that language anyway', async () => {
  const { email, password, call } = await addSignedIn(waymark)
  const signIn = async (headers: Record<string, string> = {}) =>
    cookiesOf(await createVisitor(waymark).post('/sign-in', { email, password }, headers))
  assert.deepEqual(await signIn(), [])
  await call('PATCH', '/v2/me', { language: 'de' })
  assert.deepEqual(await signIn({ cookie: 'waymark_language=en' }), [])
  assert.deepEqual(await signIn({ 'accept-language': 'de-AT' }), [])
  assert.equal((await signIn({ cookie: 'waymark_language=nothing' })).length, 1)
})

void test('the cookie has the path of the site, and is Secure if the site uses TLS', () => {
  const at = (publicUrl: string) => languageCookieFor({}, 'de', publicUrl)
  assert.match(at('https://trails.example/photos') ?? '', /Path=\/photos; Secure; SameSite=Lax$/)
  assert.match(at('https://trails.example') ?? '', /Path=\/; Secure; SameSite=Lax$/)
})
