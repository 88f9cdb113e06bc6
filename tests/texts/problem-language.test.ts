// Problem documents in the language of the request: on v2 the detail alone, on the classic surface nothing; pages altogether.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createVisitor } from '../helpers/visitor.ts'
import { startWaymark } from '../helpers/waymark.ts'

const waymark = await startWaymark()
after(() => waymark.close())

const german = { 'accept-language': 'de' }

async function problemAt(address: string, headers: Record<string, string>) {
  const answer = await waymark.fetch(address, { headers })
  const { title, detail } = (await answer.json()) as { title: string; detail: string }
  return { title, detail, language: answer.headers.get('content-language'), status: answer.status }
}

void test('C37: on v2 the title stays English, the detail is in the language of the request', async () => {
  assert.deepEqual(await problemAt('/v2/nothing', german), {
    title: 'Not Found',
    detail: 'Unter dieser Adresse gibt es nichts.',
    language: 'de',
    status: 404,
  })
  const english = await problemAt('/v2/nothing', { 'accept-language': 'en-GB' })
  assert.deepEqual(english.language, null)
  assert.match(english.detail, /^There is nothing/)
  assert.deepEqual(await problemAt('/v2/nothing', {}), english, 'a program that names no language')
})

void test('C37: the classic surface speaks English in every language', async () => {
  const { person } = { person: await waymark.addPerson() }
  const headers = { ...german, authorization: `Bearer ${person.token}` }
  const classic = await problemAt('/Trails/999/Images', headers)
  assert.deepEqual([classic.title, classic.language], ['Invalid Trail ID', null])
  assert.doesNotMatch(classic.detail, /Weg/)
})

void test('the page of a problem is another in each language, and says so to caches', async () => {
  const pages = await Promise.all(
    ['de', 'en'].map(async (language) => {
      const answer = await waymark.fetch('/problems/busy', { headers: { 'accept-language': language } })
      assert.match(answer.headers.get('vary') ?? '', /Accept-Language, Cookie/)
      assert.equal(answer.headers.get('cache-control'), 'public, max-age=300')
      return answer.text()
    }),
  )
  assert.match(
    pages[0] ?? '',
    /<html lang="de">[\s\S]*<h1>Der Server ist ausgelastet<\/h1>[\s\S]*Alle Fehler/,
  )
  assert.match(pages[1] ?? '', /<html lang="en">[\s\S]*<h1>The server is busy<\/h1>/)
  const list = await (await waymark.fetch('/problems', { headers: german })).text()
  assert.match(list, /Der Link funktioniert nicht mehr/)
})

void test('a mistyped address is a German page in a German browser', async () => {
  const headers = { ...german, accept: 'text/html', 'sec-fetch-dest': 'document' }
  const page = await (await waymark.fetch('/nothing-here', { headers })).text()
  assert.match(
    page,
    /<h1>Nicht gefunden<\/h1>[\s\S]*Unter dieser Adresse gibt es keine Seite[\s\S]*Zur Startseite/,
  )
})

void test('forms are German in a German browser, and so is the frame around them', async () => {
  const page = await (await waymark.fetch('/sign-in', { headers: german })).text()
  for (const text of [/Zum Inhalt springen/, /<h1>Anmelden<\/h1>/, /E-Mail-Adresse/, /Passwort vergessen\?/])
    assert.match(page, text)
  const device = await (await waymark.fetch('/device', { headers: german })).text()
  assert.match(device, /<html lang="de">[\s\S]*Gib den Code ein, den dein Gerät oder Terminal anzeigt\./)
})

void test('what is wrong with a form is said in German in a German browser', async () => {
  const open = await startWaymark({ environment: { SIGN_UP: 'open' } })
  try {
    const visitor = createVisitor(open)
    const send = (fields: Record<string, string>) =>
      visitor.post('/sign-up', { name: 'Ann', ...fields }, german)
    const email = 'ann@trails.example'
    assert.match((await send({ email: 'ann', password: 'x' })).text, /Das ist keine gültige E-Mail-Adresse\./)
    assert.match(
      (await send({ email, password: 'kurz' })).text,
      /Das Passwort muss 8 bis 1024 Zeichen haben\./,
    )
    assert.match(
      (await send({ email, password: 'password1' })).text,
      /Das Passwort gehört zu den häufigsten\./,
    )
    const wrong = await visitor.post('/sign-in', { email, password: 'a wrong password' }, german)
    assert.match(wrong.text, /role="alert"><p>E-Mail-Adresse oder Passwort ist falsch\./)
    const script = await visitor.call('GET', '/v2/nothing', undefined, german)
    assert.match(script.text, /Unter dieser Adresse gibt es nichts\./)
  } finally {
    await open.close()
  }
})
