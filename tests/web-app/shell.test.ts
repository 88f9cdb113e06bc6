// The HTML page of the web app: where it is served, what it loads, its policy, and its link preview.
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { readConfig } from '../../src/settings/config.ts'
import { shellPolicy } from '../../src/web-app/shell.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { makeTinyApp } from '../helpers/tiny-app.ts'
import { startWaymark, type Person, type Waymark } from '../helpers/waymark.ts'

const nasty = `<script>alert("1")</script>&'`

const addresses = [
  '/',
  '/upload',
  '/photos',
  '/review',
  '/review/1',
  '/routes',
  '/routes/mine',
  '/routes/new',
  '/routes/1',
  '/routes/1/edit',
  '/account',
  '/account/keys',
  '/admin',
  '/admin/accounts',
  '/admin/accounts/1',
  '/docs',
  '/docs/api',
  '/docs/api/trails',
]

const gpx = `<gpx version="1.1" creator="t" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>${[
  0, 1, 2, 3,
]
  .map((step) => `<trkpt lat="${46 + step / 100}" lon="${7 + step / 100}"/>`)
  .join('')}</trkseg></trk></gpx>`

void describe('the page of the web app', () => {
  let waymark: Waymark
  let folder: string
  let reviewer: Person

  before(async () => {
    folder = await makeTinyApp()
    waymark = await startWaymark({
      webFolder: folder,
      environment: { WEB_APP: 'on', SITE_NAME: 'Ridge & Co', PUBLIC_URL: 'https://trails.example/photos' },
    })
    await waymark.addTrail(7, `Rim ${nasty}`, 'rim')
    await waymark.addTrail(8, 'Österleden')
    await waymark.addTrail(9, 'Empty')
    reviewer = await waymark.addPerson({ role: 'reviewer', name: `Ana ${nasty}` })
  })
  after(async () => {
    await waymark.close()
    await rm(folder, { recursive: true })
  })

  async function pageAt(address: string) {
    const answer = await waymark.fetch(address)
    return { answer, status: answer.status, headers: answer.headers, text: await answer.text() }
  }

  const metaOf = (text: string, name: string): string | undefined =>
    new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"`).exec(text)?.[1]

  it('is served at every address of the app, also below the path of PUBLIC_URL, and nowhere else', async () => {
    for (const address of addresses) {
      const { status, headers, text } = await pageAt(address)
      assert.equal(status, address === '/routes/1' ? 404 : 200, address)
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
      assert.match(text, /<div id="root">/)
      assert.equal((await pageAt(`/photos${address}`)).status, status, `/photos${address}`)
    }
    for (const address of ['/uploads', '/t', '/i', '/admin/a/b/c', '/docs/a/b/c', '/index.html'])
      assert.equal((await pageAt(address)).status, 404, address)
  })

  it('C1: the app does not take over classic paths, in any letter case', async () => {
    for (const address of ['/accounts/42/routes', '/ACCOUNTS/42/ROUTES/', '/v1/Accounts/42/Routes'])
      assert.equal((await pageAt(address)).status, 401, address)
    assert.equal((await pageAt('/Routes')).status, 404)
  })

  it('loads what the manifest lists, each file once, below the mount path', async () => {
    const { text } = await pageAt('/')
    const found = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, address = '']) => address)
    assert.deepEqual(found(/<script type="module" src="([^"]+)"/g), ['/photos/app/main-Aa1_-b2C.js'])
    assert.deepEqual(found(/rel="modulepreload" href="([^"]+)"/g), [
      '/photos/app/shared-Dd3.js',
      '/photos/app/deep-Ee4.js',
      '/photos/app/common-Kk0.js',
    ])
    assert.deepEqual(found(/rel="stylesheet" href="([^"]+)"/g), [
      '/photos/app/shared-Hh7.css',
      '/photos/app/main-Gg6.css',
    ])
    assert.equal(metaOf(text, 'waymark-base'), '/photos')
    assert.equal(metaOf(text, 'referrer'), 'same-origin')
    assert.match(text, /<html lang="en" /)
    assert.match(text, /<title>Ridge &amp; Co<\/title>/)
    assert.doesNotMatch(text, /<script>|<style|style="| on\w+="/)
    for (const address of found(/(?:src|href)="\/photos(\/(?:app|assets)\/[^"]+)"/g))
      assert.equal((await pageAt(address)).status, 200, address)
  })

  it('is in the language of the request, with the texts of that language preloaded', async () => {
    const askedBy = async (headers: Record<string, string>) =>
      (await waymark.fetch('/photos/t/rim', { headers })).text()
    const german = await askedBy({ 'Accept-Language': 'de-AT,de;q=0.9' })
    assert.match(german, /<html lang="de" [\s\S]*Diese Website braucht JavaScript[\s\S]*>Anmelden<\/a>/)
    assert.match(german, /"og:description" content="[^"]*0 Fotos/)
    assert.match(german, /modulepreload" href="\/photos\/app\/common-Jj9\.js"/)
    assert.doesNotMatch(german, /common-Kk0/)
    const chosen = await askedBy({ 'Accept-Language': 'de', Cookie: 'waymark_language=en' })
    assert.match(chosen, /<html lang="en" [\s\S]*common-Kk0[\s\S]*This site needs JavaScript/)
    const pseudo = await askedBy({ Cookie: 'waymark_language=en-XA' })
    assert.match(pseudo, /<html lang="en-XA" [\s\S]*common-Kk0[\s\S]*\[Thíš šíté/)
  })

  it('trust 59: is not cached, and has a policy that allows only this site', async () => {
    const { headers } = await pageAt('/upload')
    assert.equal(headers.get('cache-control'), 'private, no-store')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('x-frame-options'), 'DENY')
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin')
    assert.equal(headers.get('access-control-allow-origin'), null)
    assert.equal(
      headers.get('content-security-policy'),
      "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; form-action 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'",
    )
  })

  it('has a policy that allows the origins of the map and of an external image handler, only as far as needed', () => {
    const config = readConfig({
      PUBLIC_URL: 'https://trails.example/photos',
      IMAGE_HANDLER_URL: 'https://cdn.example/i',
    })
    const ofMap = ['https://tiles.example:8443', 'https://fonts.example', 'https://trails.example']
    const policy = shellPolicy(config, ofMap)
    const others = 'https://cdn.example https://tiles.example:8443 https://fonts.example'
    assert.match(
      policy,
      new RegExp(`; img-src 'self' data: blob: ${others}; connect-src 'self' ${others}; form`),
    )
    assert.equal(policy.split('https://cdn.example').length, 3)
    assert.ok(!policy.includes('https://trails.example'))
  })

  it('describes a listed photo and its trail, with everything escaped', async () => {
    const listed = await waymark.upload(reviewer, 7, await jpegPicture())
    await waymark.fetch(`/v2/images/${listed}`, {
      method: 'PATCH',
      token: reviewer.token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title: `View ${nasty}`, caption: '' }),
    })
    await waymark.review(reviewer, listed, 'approve')
    const photo = await pageAt(`/t/rim/${listed}`)
    assert.equal(photo.status, 200)
    const escaped = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;'
    assert.equal(metaOf(photo.text, 'og:title'), `View ${escaped}`)
    assert.equal(metaOf(photo.text, 'og:description'), `Rim ${escaped}, photo by Ana ${escaped}`)
    assert.equal(
      metaOf(photo.text, 'og:image'),
      `https://trails.example/photos/ImageHandler?id=${listed}&amp;t=640`,
    )
    assert.equal(metaOf(photo.text, 'og:url'), `https://trails.example/photos/t/rim/${listed}`)
    assert.equal(metaOf(photo.text, 'twitter:card'), 'summary_large_image')
    assert.match(
      photo.text,
      new RegExp(`<link rel="canonical" href="https://trails.example/photos/t/rim/${listed}"`),
    )
    assert.equal(photo.headers.get('x-robots-tag'), null)

    // Whoever makes previews follows it, as browsers do: it may be shown elsewhere tomorrow.
    const byId = await waymark.fetch(`/i/${listed}`, { redirect: 'manual' })
    assert.equal(byId.status, 302)
    assert.equal(byId.headers.get('location'), `/photos/t/rim/${listed}`)
    assert.equal(byId.headers.get('cache-control'), 'private, no-store')

    const trail = await pageAt('/t/rim')
    assert.equal(metaOf(trail.text, 'og:title'), `Rim ${escaped}`)
    assert.equal(metaOf(trail.text, 'og:description'), '1 photo.')
    assert.match(metaOf(trail.text, 'og:image') ?? '', new RegExp(`id=${listed}&amp;t=640$`))
    const byNumber = await pageAt('/t/7')
    assert.equal(byNumber.status, 200)
    assert.equal(metaOf(byNumber.text, 'og:url'), 'https://trails.example/photos/t/rim')
    assert.equal((await pageAt('/t/999999')).status, 404)
    assert.equal(metaOf((await pageAt('/t/empty')).text, 'twitter:card'), 'summary')
    const unicode = await pageAt('/t/%C3%B6sterleden')
    assert.equal(unicode.status, 404, 'a slug made of a name has no marks')
    assert.equal((await pageAt('/t/osterleden')).status, 200)
  })

  it('is the same for an unlisted photo, one of another trail and an unknown one, and asks not to be indexed', async () => {
    const pending = await waymark.upload(reviewer, 7, await jpegPicture({ width: 30 }))
    const rejected = await waymark.upload(reviewer, 7, await jpegPicture({ width: 31 }))
    const elsewhere = await waymark.upload(reviewer, 8, await jpegPicture({ width: 32 }))
    await waymark.review(reviewer, rejected, 'reject')
    await waymark.review(reviewer, elsewhere, 'approve')
    const plain = await pageAt('/t/rim/1')
    assert.equal(plain.status, 404)
    assert.equal(plain.headers.get('x-robots-tag'), 'noindex')
    assert.match(plain.text, /<meta name="robots" content="noindex"/)
    assert.match(plain.text, /<title>Page not found · Ridge &amp; Co<\/title>/)
    assert.doesNotMatch(plain.text, /og:|canonical|Rim/)
    for (const id of [pending, rejected, elsewhere, 'x', '0', 'a.b', '%ff']) {
      const { status, text } = await pageAt(`/t/rim/${id}`)
      assert.deepEqual([status, text], [404, plain.text], String(id))
    }
    for (const id of [pending, rejected, '999999', 'x', '%ff']) {
      const { status, text } = await pageAt(`/i/${id}`)
      assert.deepEqual([status, text], [404, plain.text], String(id))
    }
    const quiet = (await pageAt('/upload')).text
    for (const address of ['/account', '/admin']) assert.equal((await pageAt(address)).text, quiet)
    assert.equal(plain.text.replace('Page not found · ', ''), quiet)
    for (const unknown of ['/t/unknown', '/t/RIM', `/t/unknown/${elsewhere}`, '/t/%00', '/t/%ff']) {
      const { status, text } = await pageAt(unknown)
      assert.deepEqual([status, text], [404, plain.text], unknown)
    }
  })

  it('redirects /trails to the page that lists the trails, with its query', async () => {
    for (const [address, location] of [
      ['/trails', '/photos/'],
      ['/trails?q=rim&view=map', '/photos/?q=rim&view=map'],
    ] as const) {
      const answer = await waymark.fetch(address, { redirect: 'manual' })
      assert.deepEqual([answer.status, answer.headers.get('location')], [301, location])
    }
  })

  it('C36: describes a public route, a link route to anyone with the link, and no private route', async () => {
    const add = async (visibility: string): Promise<{ routeID: number; link: string | null }> => {
      const answer = await waymark.fetch(`/v2/accounts/${reviewer.accountId}/routes`, {
        method: 'POST',
        token: reviewer.token,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'Over the pass', description: 'Steep.', gpx, visibility }),
      })
      assert.equal(answer.status, 201, await answer.clone().text())
      return (await answer.json()) as { routeID: number; link: string | null }
    }
    const [open, linked, own] = [await add('public'), await add('link'), await add('private')]
    const shown = await pageAt(`/routes/${open.routeID}`)
    assert.equal(metaOf(shown.text, 'og:title'), 'Over the pass')
    assert.match(metaOf(shown.text, 'og:description') ?? '', /^2\.\d miles, a route by Ana .* – Steep\.$/)
    assert.equal(metaOf(shown.text, 'og:url'), `https://trails.example/photos/routes/${open.routeID}`)
    assert.doesNotMatch(shown.text, /noindex/)

    const { search } = new URL(linked.link ?? '')
    const byLink = await pageAt(`/routes/${linked.routeID}${search}`)
    assert.equal(metaOf(byLink.text, 'og:title'), 'Over the pass')
    assert.equal(
      metaOf(byLink.text, 'og:url'),
      `https://trails.example/photos/routes/${linked.routeID}${search}`,
    )
    assert.match(byLink.text, /<meta name="robots" content="noindex"/)
    assert.equal(byLink.headers.get('x-robots-tag'), 'noindex')

    const plain = (await pageAt('/routes/1')).text
    assert.doesNotMatch(plain, /og:/)
    for (const address of [
      `/routes/${own.routeID}`,
      `/routes/${linked.routeID}`,
      `/routes/${linked.routeID}?token=wrong`,
      `/routes/${own.routeID}${search}`,
    ]) {
      const { status, text } = await pageAt(address)
      assert.deepEqual([status, text], [404, plain], address)
    }
  })

  it('is the new one as soon as the app is rebuilt', async () => {
    const manifest = path.join(folder, '.vite', 'manifest.json')
    await writeFile(manifest, JSON.stringify({ 'main.tsx': { file: 'app/main-New9.js', isEntry: true } }))
    assert.match((await pageAt('/')).text, /src="\/photos\/app\/main-New9\.js"/)
    await rm(manifest)
    assert.equal((await pageAt('/')).status, 503)
  })
})
