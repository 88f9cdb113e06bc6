// How the site looks: chosen by admins, shown by every page from the next request on, kept in the database (decision 0120).
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { after, test } from 'node:test'
import type { SiteInfo } from '../../src/shared/v2/site-schemas.ts'
import { stylesheetOf } from '../../src/shared/colours/accent.ts'
import { makeTinyApp } from '../helpers/tiny-app.ts'
import { addSignedIn } from '../helpers/visitor.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { choose, plain, ridge, textAt } from './branding-helpers.ts'

const webFolder = await makeTinyApp()
const waymark = await startWaymark({
  webFolder,
  environment: { WEB_APP: 'on', SITE_NAME: 'Hill Photos', PUBLIC_URL: 'https://trails.example/photos' },
})
after(async () => {
  await waymark.close()
  await rm(webFolder, { recursive: true })
})
await waymark.addTrail(4711, 'Rim Trail', 'rim')
const admin = await addSignedIn(waymark, 'admin')

const site = async (): Promise<SiteInfo> => (await (await waymark.fetch('/v2/site')).json()) as SiteInfo
const manifest = async (): Promise<Record<string, unknown>> =>
  (await (await waymark.fetch('/manifest.webmanifest')).json()) as Record<string, unknown>

/** The app's page, a page of the server's own, one of an embed, and one of a problem. */
const pages = ['/', '/sign-in', '/embed/t/rim', '/problems', '/no-such-page'] as const

void test('without branding the setting names the site, and it looks like Waymark', async () => {
  const read = await admin.call('GET', '/v2/admin/branding')
  assert.deepEqual(JSON.parse(read.text), {
    ...plain,
    defaultName: 'Hill Photos',
    logo: null,
    favicon: null,
    changedAt: null,
  })
  for (const page of pages) {
    const text = await textAt(waymark, page)
    assert.match(text, /Hill Photos/, page)
    assert.doesNotMatch(text, /\/brand\//, page)
  }
  const { name, branding } = await site()
  assert.deepEqual(
    [name, branding],
    ['Hill Photos', { logo: null, logoRatio: null, accent: null, footer: plain.footer }],
  )
})

void test('every page shows new branding from the next request on, cached pages too', async () => {
  for (const look of [ridge, { ...ridge, name: 'Other <Site>', accent: '#00aa00' }, plain]) {
    // Kept by the second time at the latest.
    for (const page of [...pages, ...pages]) await textAt(waymark, page)
    await choose(admin, look)
    const name = (look.name ?? 'Hill Photos').replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')
    for (const page of pages) {
      const text = await textAt(waymark, page)
      assert.ok(text.includes(name), page)
      assert.equal(/\/photos\/brand\/[\da-f]{64}\.css/.test(text), look.accent !== null, page)
    }
    const reported = await site()
    assert.equal(reported.name, look.name ?? 'Hill Photos')
    assert.deepEqual(reported.branding, {
      logo: null,
      logoRatio: null,
      accent: look.accent,
      footer: look.footer,
    })
    assert.equal((await manifest())['name'], reported.name)
  }
})

void test('the site’s name is in page titles, previews and footers, and browsers get its colours', async () => {
  await choose(admin, ridge)
  const app = await textAt(waymark, '/')
  assert.match(app, /<title>Ridge &amp; Co<\/title>/)
  assert.match(app, /<meta property="og:site_name" content="Ridge &amp; Co"/)
  assert.match(app, /<link rel="manifest" href="\/photos\/manifest\.webmanifest"/)
  assert.match(app, /<meta name="theme-color" media="\(prefers-color-scheme: light\)" content="#8a2be2"/)
  assert.match(app, /<meta name="theme-color" media="\(prefers-color-scheme: dark\)" content="#[\da-f]{6}"/)
  const ours = await textAt(waymark, '/sign-in')
  assert.match(ours, /<p>The club of the ridge\.<\/p>/)
  assert.match(ours, /<a href="https:\/\/club\.example\/imprint">Imprint<\/a>/)
  assert.match(ours, /<a href="\/photos\/trails">Trails<\/a>/)
  assert.ok(ours.indexOf('/brand/') > ours.indexOf('waymark.css'), 'behind the palette')
  const embed = await textAt(waymark, '/embed/t/rim')
  assert.match(embed, /<title>Rim Trail · Ridge &amp; Co<\/title>/)
  assert.ok(embed.indexOf('/brand/') > embed.indexOf('embed.css'))
})

void test('the stylesheet of the accent is immutable in caches, and an outdated one returns 404', async () => {
  await choose(admin, ridge)
  const [, path = ''] = /href="\/photos(\/brand\/[^"]+)"/.exec(await textAt(waymark, '/sign-in')) ?? []
  const answer = await waymark.fetch(path)
  assert.equal(answer.status, 200)
  assert.equal(await answer.text(), stylesheetOf('#8a2be2'))
  assert.equal(answer.headers.get('content-type'), 'text/css; charset=utf-8')
  assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.equal(answer.headers.get('content-security-policy'), "default-src 'none'; sandbox")
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  const etag = answer.headers.get('etag') ?? ''
  assert.equal((await waymark.fetch(path, { headers: { 'if-none-match': etag } })).status, 304)
  await choose(admin, { ...ridge, accent: '#00aa00' })
  assert.equal((await waymark.fetch(path)).status, 404)
})

void test('the manifest has the name of the site and a short form of it', async () => {
  await choose(admin, { ...ridge, name: 'Photos of the Ridge' })
  const answer = await waymark.fetch('/manifest.webmanifest')
  assert.equal(answer.headers.get('content-type'), 'application/manifest+json; charset=utf-8')
  const { icons, ...rest } = (await answer.json()) as { icons: { type: string }[] }
  assert.deepEqual(rest, {
    name: 'Photos of the Ridge',
    short_name: 'Photos of',
    start_url: '/photos/',
    scope: '/photos/',
    display: 'minimal-ui',
    theme_color: '#8a2be2',
    background_color: '#faf9f5',
  })
  assert.deepEqual(
    icons.map(({ type }) => type),
    ['image/svg+xml'],
  )
})

void test('a change is audited once, and an outdated one overwrites nothing', async () => {
  await choose(admin, plain)
  const read = await admin.call('GET', '/v2/admin/branding')
  const etag = read.headers.get('etag') ?? ''
  const { db } = waymark.installation.database
  const audited = async (): Promise<number> =>
    (await db.selectFrom('audit').select('detail').where('actor_id', '=', admin.accountId).execute()).filter(
      ({ detail }) => detail.includes('branding'),
    ).length
  const before = await audited()
  await choose(admin, ridge, { 'if-match': etag })
  await choose(admin, ridge)
  assert.equal(await audited(), before + 1, 'the same again is no change')
  const late = await admin.call('PUT', '/v2/admin/branding', plain, { 'if-match': etag })
  assert.equal(late.status, 412)
  const wrong = await admin.call('PUT', '/v2/admin/branding', { nme: 'x' }, { 'if-match': etag })
  assert.equal(wrong.status, 412, 'conditions come before the body (C31)')
  const removed = await admin.call('DELETE', '/v2/admin/branding/logo', undefined, { 'if-match': etag })
  assert.equal(removed.status, 412)
  assert.equal((await site()).name, 'Ridge & Co')
})

void test('an invisible name is refused', async () => {
  for (const name of ['\u200b', '\u00ad\u200f', '\u2800', '\u3164', '\u0301', '\u{e0041}']) {
    const answer = await admin.call('PUT', '/v2/admin/branding', { ...plain, name })
    assert.equal(answer.status, 400, JSON.stringify(name))
  }
  await choose(admin, { ...plain, name: '⛰️' })
  await choose(admin, plain)
})

void test('only admins with a session can read or change it', async () => {
  const reviewer = await addSignedIn(waymark, 'reviewer')
  for (const [method, path] of [
    ['GET', '/v2/admin/branding'],
    ['PUT', '/v2/admin/branding'],
    ['PUT', '/v2/admin/branding/logo'],
    ['DELETE', '/v2/admin/branding/favicon'],
  ] as const) {
    const body = method === 'PUT' ? plain : undefined
    assert.equal((await reviewer.call(method, path, body)).status, 403, path)
    assert.equal((await waymark.fetch(path, { method })).status, 401, path)
  }
})

const footerOf = (url: string) => ({ text: '', links: [{ label: 'x', url }] })

void test('links may lead only to web pages, mailboxes and paths of the site', async () => {
  const bad = [
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' javascript:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'blob:https://a.example/1',
    'file:///etc/passwd',
    'ftp://a.example/',
    '//evil.example/',
    '/\\evil.example/',
    '\\\\evil.example/',
    '/\t/evil.example/',
    '/\n/evil.example/',
    '/\u200b/evil.example',
    'https://trails.example@evil.example/',
    'https://a:b@evil.example/',
    'https:///evil.example',
    'https://',
    'http://[',
    'mailto:',
    'mailto:a@b.example?subject=x',
    'mailto:a@b.example,c@d.example',
    'trails',
    '#top',
    '?q=1',
    '',
    `https://a.example/${'x'.repeat(500)}`,
  ]
  for (const url of bad) {
    const answer = await admin.call('PUT', '/v2/admin/branding', { ...plain, footer: footerOf(url) })
    assert.equal(answer.status, 400, url)
    assert.match(
      (JSON.parse(answer.text) as { detail: string }).detail,
      /^The field footer\.links\.0\.url [^.]*\.$/,
      url,
    )
  }
  for (const url of [
    'https://a.example',
    'HTTP://a.example/b?c#d',
    'mailto:a@b.example',
    '/',
    '/t/rim?a=b#c',
  ])
    await choose(admin, { ...plain, footer: footerOf(url) })
})

void test('invalid names, colours and texts are refused in one sentence', async () => {
  const link = { label: 'x', url: '/' }
  const bad: Record<string, unknown>[] = [
    { name: '' },
    { name: '   ' },
    { name: 'a'.repeat(61) },
    { name: 'two\nlines' },
    { name: 'Bcc: a@b.example\r\nx' },
    { name: 'turned \u202egnp.exe' },
    { name: 7 },
    { accent: 'red' },
    { accent: '#fff' },
    { accent: '#12345678' },
    { accent: '#123456;}body{display:none' },
    { footer: { text: 'x'.repeat(501), links: [] } },
    { footer: { text: '', links: Array.from({ length: 7 }, () => link) } },
    { footer: { text: '', links: [{ label: '', url: '/' }] } },
    { footer: { text: '', links: [{ label: 'x'.repeat(41), url: '/' }] } },
    { footer: { text: '', links: [{ label: 'x', url: '/', onclick: 'x' }] } },
    { logo: 'https://evil.example/x.svg' },
  ]
  for (const part of bad) {
    const answer = await admin.call('PUT', '/v2/admin/branding', { ...plain, ...part })
    assert.equal(answer.status, 400, JSON.stringify(part))
    assert.match((JSON.parse(answer.text) as { detail: string }).detail, /^[A-Z].*[a-z\d]\.$/)
  }
  const long = {
    text: '🥾'.repeat(500),
    links: Array.from({ length: 6 }, () => ({ ...link, label: '🥾'.repeat(40) })),
  }
  const chosen = await choose(admin, { name: ` ${'🥾'.repeat(57)}x `, accent: '#ABCDEF', footer: long })
  assert.deepEqual([chosen.name, chosen.accent], [`${'🥾'.repeat(57)}x`, '#abcdef'])
})

void test('text in a name or footer is never executed', async () => {
  const nasty = `</title><script>alert("1")</script>'&`
  const footer = {
    text: nasty,
    links: [{ label: nasty.slice(0, 40), url: '/?a="><script>alert(1)</script>' }],
  }
  await choose(admin, { name: nasty, accent: '#8a2be2', footer })
  for (const page of pages) {
    const text = await textAt(waymark, page)
    assert.doesNotMatch(text, /<script>|"><script|alert\("1"\)/, page)
    assert.match(text, /&lt;\/title&gt;&lt;script&gt;/, page)
  }
  const { name } = await manifest()
  assert.equal(name, nasty)
  await choose(admin, plain)
})
