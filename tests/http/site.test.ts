// The layout of server pages: escaping, the page's policy, and how its files are served and cached.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { readAssets } from '../../src/site/assets.ts'
import { choices, field, notice } from '../../src/site/forms.ts'
import { attributes, html, type HtmlValue } from '../../src/site/html.ts'
import { plainBrand } from '../../src/site/brand.ts'
import { createSite } from '../../src/site/site.ts'
import { startWaymark } from '../helpers/waymark.ts'

const nasty = `<script>&"'`
const escaped = '&lt;script&gt;&amp;&quot;&#39;'

void test('everything put into a page is escaped, between tags and in attributes', () => {
  assert.equal(html`<p title="${nasty}">${nasty}</p>`.markup, `<p title="${escaped}">${escaped}</p>`)
  assert.equal(html`${[1, html`<b>${nasty}</b>`, [undefined, false, '']]}.`.markup, `1<b>${escaped}</b>.`)
  assert.equal(
    attributes({ a: nasty, b: true, c: false, d: undefined, e: 0 }).markup,
    `a="${escaped}" b e="0"`,
  )
  assert.ok(
    !field({ name: 'x', label: nasty, value: nasty, hint: nasty, error: nasty }).markup.includes('<script'),
  )
  assert.ok(!notice('bad', nasty).markup.includes('<script'))
})

void test('a received object is never HTML, whatever its members', () => {
  const sent = JSON.parse('{"markup":"<script>"}') as HtmlValue
  assert.throws(() => html`<p>${sent}</p>`, TypeError)
})

void test('a field links its hint and its error for screen readers', () => {
  const { markup } = field({ name: 'email', label: 'Email', type: 'email', hint: 'Yours.', error: 'No.' })
  assert.match(markup, /<label for="field-email">Email<\/label>/)
  assert.match(markup, /aria-describedby="field-email-hint field-email-error" aria-invalid="true"/)
  const options = [{ value: 'a', label: 'A' }]
  assert.match(
    choices({ kind: 'radio', name: 'x', label: 'Which?', options }).markup,
    /<fieldset[^]*<legend>Which\?/,
  )
})

void test('trust 59: a page loads only its own resources; a form may redirect to its caller, by origin or custom scheme', () => {
  const site = createSite('https://trails.example/photos/', () => plainBrand('Rim Trails'))
  const strict =
    "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
  assert.equal(site.policy(), strict)
  const formTargets = [
    'https://app.example/cb?x=1',
    'https://app.example/other',
    'http://127.0.0.1:4711/cb',
    'org.example.hiker:/cb',
    'http://[::1]:4711/cb',
    `not an address; script-src *`,
  ]
  const allowed = `form-action 'self' https://app.example http://127.0.0.1:4711 org.example.hiker: http:`
  assert.equal(site.policy({ formTargets }), strict.replace("form-action 'self'", allowed))
  const scripted = site.policy({ scripts: ['x.js'] })
  assert.match(scripted, /^default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'/)
  assert.doesNotMatch(scripted, /unsafe|\*|data:|https?:/)
})

void test('the frame: every URL below the mount path, the viewer by name, the title once', () => {
  const site = createSite('https://trails.example/photos/', () => plainBrand('Rim Trails'))
  const body = html`<p>text</p>`
  const page = site.page({ title: nasty, body, viewer: { displayName: nasty } }, 'en')
  assert.match(page, /^<!doctype html>/)
  assert.equal(page.split(escaped).length - 1, 3)
  for (const [, address = ''] of page.matchAll(/(?:href|src|action)="([^"#][^"]*)"/g))
    assert.match(address, /^\/photos\//)
  assert.match(page, /<form method="post" action="\/photos\/sign-out">/)
  assert.doesNotMatch(site.page({ title: 'x', body }, 'en'), /sign-out|account/)
  assert.throws(() => site.page({ title: 'x', body, scripts: ['nothing.js'] }, 'en'), /nothing\.js/)
})

const waymark = await startWaymark()
after(async () => waymark.close())

void test('a page has its caching and framing headers', async () => {
  const { headers } = await waymark.fetch('/problems/busy')
  assert.equal(headers.get('x-frame-options'), 'DENY')
  assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin')
  assert.equal(headers.get('cache-control'), 'public, max-age=300')
  const site = createSite('https://trails.example', () => plainBrand('Rim Trails'))
  assert.equal(site.headers({ title: 'x', body: html`x` })['Cache-Control'], 'no-store')
})

void test('every file of the site is served with its type, for a year at the URL that has its version', async () => {
  const types: Readonly<Record<string, string>> = {
    css: 'text/css; charset=utf-8',
    js: 'text/javascript; charset=utf-8',
    svg: 'image/svg+xml; charset=utf-8',
  }
  const assets = readAssets()
  assert.ok(assets.some(({ name }) => name === 'waymark.css'))
  for (const { name, version, text } of assets) {
    const answer = await waymark.fetch(`/assets/${name}?v=${version}`)
    assert.equal(answer.status, 200, name)
    assert.equal(answer.headers.get('content-type'), types[name.split('.').at(-1) ?? ''], name)
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable', name)
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff', name)
    assert.equal(await answer.text(), text, name)
    const etag = answer.headers.get('etag') ?? ''
    const again = await waymark.fetch(`/assets/${name}`, { headers: { 'if-none-match': etag } })
    assert.equal(again.status, 304, name)
    for (const query of ['', '?v=old', `?v=${version}&v=${version}`]) {
      const other = await waymark.fetch(`/assets/${name}${query}`)
      assert.equal(other.headers.get('cache-control'), 'public, max-age=300', query)
    }
  }
  for (const address of ['/favicon.svg', '/favicon.ico']) {
    const icon = await waymark.fetch(address)
    assert.equal(icon.headers.get('content-type'), 'image/svg+xml; charset=utf-8')
    assert.equal(icon.headers.get('content-security-policy')?.startsWith("default-src 'none'"), true)
  }
})

void test('nothing else is', async () => {
  for (const name of [
    '',
    'logo.ts',
    '..%2fsite.ts',
    '../site.ts',
    '%2e%2e/site.ts',
    'waymark.css%00',
    'WAYMARK.CSS',
  ])
    assert.equal((await waymark.fetch(`/assets/${name}`)).status, 404, name)
})
