// Problem documents in the language of the request: only the detail on v2, nothing on the classic surface; pages
// completely.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refuse, type Refusal } from '../../src/errors.ts'
import { inEach, textsIn } from '../../src/texts/texts.ts'
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

void test('C37: on v2 the title stays English, and the detail is in the language of the request', async () => {
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

void test('C37: the classic surface always responds in English', async () => {
  const { person } = { person: await waymark.addPerson() }
  const headers = { ...german, authorization: `Bearer ${person.token}` }
  const classic = await problemAt('/Trails/999/Images', headers)
  assert.deepEqual([classic.title, classic.language], ['Invalid Trail ID', null])
  assert.doesNotMatch(classic.detail, /Weg/)
})

void test('a problem’s page differs by language, and tells caches so', async () => {
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

void test('a mistyped address shows a German page in a German browser', async () => {
  const headers = { ...german, accept: 'text/html', 'sec-fetch-dest': 'document' }
  const page = await (await waymark.fetch('/nothing-here', { headers })).text()
  assert.match(
    page,
    /<h1>Nicht gefunden<\/h1>[\s\S]*Unter dieser Adresse gibt es keine Seite[\s\S]*Zur Startseite/,
  )
})

void test('forms and the page around them are German in a German browser', async () => {
  const page = await (await waymark.fetch('/sign-in', { headers: german })).text()
  for (const text of [/Zum Inhalt springen/, /<h1>Anmelden<\/h1>/, /E-Mail-Adresse/, /Passwort vergessen\?/])
    assert.match(page, text)
  const device = await (await waymark.fetch('/device', { headers: german })).text()
  assert.match(device, /<html lang="de">[\s\S]*Gib den Code ein, den dein Gerät oder Terminal anzeigt\./)
})

void test('form errors are in German in a German browser', async () => {
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

void test('C37: refused permissions are explained in German on v2, and in English to programs', async () => {
  const ann = await waymark.addPerson({ scope: 'images:read' })
  const authorization = `Bearer ${ann.token}`
  const both = async (address: string, headers: Record<string, string> = {}) => [
    (await problemAt(address, { ...headers, ...german })).detail,
    (await problemAt(address, headers)).detail,
  ]
  assert.deepEqual(await both('/v2/me/passkeys', { authorization }), [
    'Das geht nur mit einer Anmeldung im Browser, nicht mit einem Zugriffstoken.',
    'This requires a browser session; access tokens are not accepted.',
  ])
  assert.deepEqual(await both('/v2/review/queue', { authorization }), [
    'Dafür ist der Scope images:review nötig, den das Token nicht hat.',
    'This needs the scope images:review, which the token was not granted.',
  ])
  assert.deepEqual(await both('/v2/me/passkeys'), [
    'Dafür musst du im Browser angemeldet sein.',
    'This requires a browser session.',
  ])
  assert.deepEqual(await both('/v2/me', { authorization: 'Bearer nothing' }), [
    'Das Zugriffstoken ist hier nicht bekannt.',
    'The access token is not known here.',
  ])
})

void test('a rate limit error is in German, with German plurals', async () => {
  const tight = await startWaymark({ environment: { RATE_LIMIT_FACTOR: '1', RATE_ADDRESS: '1' } })
  try {
    const ask = (address: string) => tight.fetch(address, { headers: german })
    await ask('/v2/me/passkeys')
    const refused = await ask('/v2/me/passkeys')
    const { title, detail } = (await refused.json()) as { title: string; detail: string }
    assert.deepEqual([refused.status, title], [429, 'Too Many Requests'])
    assert.match(
      detail,
      /^Mehr als 1 Anfrage in 60 Sekunden sind nicht möglich \(aufwendige zählen mehrfach\)\. Versuch es in \d+ Sekunden? noch einmal\.$/,
    )
    assert.equal(refused.headers.get('content-language'), 'de')
  } finally {
    await tight.close()
  }
})

void test('a failed passkey, a claim and a late decision each have a German sentence', () => {
  const inGerman = (refusal: Refusal) => refusal.detailIn('de') ?? ''
  const { access, limits, review } = textsIn('de')
  const at = Date.UTC(2026, 7, 3, 14, 5)
  const last = { at, displayName: 'Rob' }
  assert.equal(
    inGerman(refuse('claimed', { detail: inEach((texts) => texts.review.claimed('Rob', at)) })),
    'Rob bearbeitet dieses Foto noch bis 03.08.2026, 14:05 Uhr (UTC).',
  )
  assert.equal(
    review.tooLate({ state: 'approved', last }, 'reject', ['remove', 'reopen']),
    'Das Foto ist veröffentlicht (seit 03.08.2026, 14:05 Uhr (UTC), durch Rob): „Ablehnen“ ist nicht mehr möglich, nur noch „Zurückziehen“ oder „Erneut prüfen“.',
  )
  assert.match(access.passkey.tooLate, /abgelaufen/)
  assert.match(limits.imageBytes(2_000_000, 1_999_999), /belegt 1\.999\.999 Bytes/)
  assert.match(limits.webhooks(1, 1), /hat 1 Webhook; mehr als 1 /)
})

void test('a damaged photo is refused in German, with a sentence for all damaged photos', async () => {
  await waymark.addTrail(7, 'Seven')
  const ann = await waymark.addPerson()
  const send = async (headers: Record<string, string>) => {
    const body = new FormData()
    const bytes = new Uint8Array([0xff, 0xd8, 0xff, 0xd9])
    body.set('file', new Blob([bytes], { type: 'image/jpeg' }), 'cut.jpg')
    const answer = await waymark.fetch('/v2/trails/7/images', {
      method: 'POST',
      body,
      headers: { ...headers, authorization: `Bearer ${ann.token}` },
    })
    return (await answer.json()) as { title: string; detail: string }
  }
  const inGerman = await send(german)
  const inEnglish = await send({})
  assert.equal(inGerman.title, inEnglish.title)
  assert.equal(inGerman.detail, 'Das Bild lässt sich nicht dekodieren.')
  assert.match(inEnglish.detail, /JPEG/)
})
