// Server-rendered pages: correct after every commit, the same for everyone, and never a 500.
import assert from 'node:assert/strict'
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, describe, it, test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import { loggerTo } from '../../src/http/server.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { serverApp } from '../helpers/server-app.ts'
import { makeTinyApp } from '../helpers/tiny-app.ts'
import { addSignedIn } from '../helpers/visitor.ts'
import { startWaymark, type Person, type Waymark } from '../helpers/waymark.ts'

interface Reported {
  readonly build: string
  readonly renders: number
  readonly url: string
  readonly locale: string
  readonly language: string
  readonly viewer: unknown
  readonly name?: string
  /** Ids, or for the list of trails the number of each. */
  readonly photos: readonly number[]
}

void describe('pages rendered on the server', () => {
  let waymark: Waymark
  let folder: string
  let reviewer: Person
  let listed: number

  before(async () => {
    folder = await makeTinyApp()
    await mkdir(path.join(folder, 'server'))
    await writeFile(path.join(folder, 'server', 'server.js'), serverApp('one'))
    waymark = await startWaymark({ webFolder: folder, environment: { WEB_APP: 'on' } })
    await waymark.addTrail(7, 'Rim Trail', 'rim')
    await waymark.addTrail(8, 'Other', 'other')
    reviewer = await waymark.addPerson({ role: 'reviewer' })
    listed = await waymark.upload(reviewer, 7, await jpegPicture())
    await waymark.review(reviewer, listed, 'approve')
  })
  after(async () => {
    await waymark.close()
    await rm(folder, { recursive: true })
  })

  const textOf = async (address: string, headers: Record<string, string> = {}): Promise<string> => {
    const answer = await waymark.fetch(address, { headers })
    assert.equal(answer.status, 200, address)
    return answer.text()
  }

  async function stateAt(address: string, headers: Record<string, string> = {}): Promise<Reported> {
    const text = await textOf(address, headers)
    const state = /<script type="application\/json" id="waymark-state">([\s\S]*?)<\/script>/.exec(text)?.[1]
    assert.ok(state !== undefined, text)
    assert.match(text, /<div id="root"><p>rendered<\/p><\/div>/)
    return JSON.parse(state) as Reported
  }

  const isMadeOnce = async (address: string, others: readonly string[]): Promise<void> => {
    const { renders } = await stateAt(address)
    for (const other of others) assert.equal((await stateAt(other)).renders, renders, other)
  }

  it('are served from memory, before Fastify, as long as nothing has changed', async () => {
    const { renders } = await stateAt('/t/rim')
    const before = waymark.app.answersFromMemory()
    assert.equal((await stateAt('/t/rim')).renders, renders)
    assert.equal(waymark.app.answersFromMemory(), before + 1)
  })

  it('show a photo once it is approved, and not after it is removed', async () => {
    assert.deepEqual((await stateAt('/t/rim')).photos, [listed])
    const other = await waymark.upload(reviewer, 7, await jpegPicture({ width: 21 }))
    assert.deepEqual((await stateAt('/t/rim')).photos, [listed])
    await waymark.review(reviewer, other, 'approve')
    assert.deepEqual(new Set((await stateAt('/t/rim')).photos), new Set([listed, other]))
    const removed = await waymark.fetch(`/v2/images/${other}`, { method: 'DELETE', token: reviewer.token })
    assert.equal(removed.status, 204)
    assert.deepEqual((await stateAt('/t/rim')).photos, [listed])
  })

  it('are valid by the data they depend on, not only by the changes announced to others', async () => {
    const { photos } = await stateAt('/')
    const other = await waymark.upload(reviewer, 8, await jpegPicture({ width: 23 }))
    await waymark.review(reviewer, other, 'approve')
    const added = (await stateAt('/')).photos.reduce((sum, count) => sum + count, 0)
    assert.equal(added, photos.reduce((sum, count) => sum + count, 0) + 1)
  })

  it('show the new name of a trail', async () => {
    const admin = await waymark.addPerson({ role: 'admin' })
    await stateAt('/t/rim')
    const trail = { name: 'Rim <Trail> </script>', slug: 'rim', geometry: null }
    const renamed = await waymark.fetch('/v2/trails/7', {
      method: 'PUT',
      token: admin.token,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(trail),
    })
    assert.ok(renamed.ok, await renamed.text())
    assert.equal((await stateAt('/t/rim')).name, trail.name)
    assert.match(await textOf('/t/rim'), /<title>Rim &lt;Trail&gt; &lt;\/script&gt; · /)
  })

  it('are not rendered again for a photo of another trail', async () => {
    const { renders } = await stateAt('/t/rim')
    const elsewhere = await waymark.upload(reviewer, 8, await jpegPicture({ width: 22 }))
    await waymark.review(reviewer, elsewhere, 'approve')
    assert.equal((await stateAt('/t/rim')).renders, renders)
  })

  it('are rendered once, whatever else is in the query, and cached under one spelling only', async () => {
    await isMadeOnce('/t/rim', [
      '/t/rim?fbclid=1',
      '/t/rim?utm_source=a&utm_medium=b',
      '/t/rim?fbclid=2&fbclid=3',
    ])
    const before = waymark.app.answersFromMemory()
    for (let at = 0; at < 3; at += 1) await stateAt('/t/rim?fbclid=1')
    assert.equal(waymark.app.answersFromMemory(), before)
    assert.equal((await stateAt('/t/rim?order=taken&fbclid=1')).url, '/t/rim?order=taken')
  })

  it('differ by language and region, but not between headers that mean the same', async () => {
    const german = await stateAt('/t/rim', { 'Accept-Language': 'de-AT,de;q=0.9,en;q=0.5' })
    assert.deepEqual([german.language, german.locale], ['de', 'de-AT'])
    const british = await stateAt('/t/rim', { 'Accept-Language': 'en-GB,en-US;q=0.9' })
    assert.deepEqual([british.language, british.locale], ['en', 'en-GB'])
    const same = await stateAt('/t/rim', { 'Accept-Language': 'en-GB' })
    assert.equal(same.renders, british.renders)
    for (const odd of ['en-<b>', 'en-x-evil', 'en-Latn-GB-oxendict', '*', 'xx'])
      assert.equal((await stateAt('/t/rim', { 'Accept-Language': odd })).locale, 'en', odd)
  })

  it('are the same for everyone: nothing about the viewer is included', async () => {
    const admin = await addSignedIn(waymark, 'admin')
    const cookie = [...admin.jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const signedIn = { cookie, 'Sec-Fetch-Site': 'same-origin' }
    assert.match(await textOf('/v2/site', signedIn), /"role":"admin"/)
    const { viewer, renders } = await stateAt('/?q=signed', signedIn)
    assert.equal(viewer, null)
    assert.equal((await stateAt('/?q=signed')).renders, renders)
  })

  it('fall back to an empty page if data fails or takes too long, and the app requests it again', async () => {
    for (const address of ['/?q=fail', '/?q=outside', '/?q=slow']) {
      const text = await textOf(address)
      assert.match(text, /<div id="root"><\/div>/, address)
      assert.match(text, /<script type="module" src="\/app\/main/)
      assert.doesNotMatch(text, /waymark-state/)
    }
  })

  it('share one page for everything that does not exist for the public, complete without scripts and rendered once', async () => {
    const pending = await waymark.upload(reviewer, 7, await jpegPicture({ width: 24 }))
    const missing = async (address: string): Promise<string> => {
      const before = waymark.app.answersFromMemory()
      const answer = await waymark.fetch(address)
      assert.equal(answer.status, 404, address)
      assert.equal(waymark.app.answersFromMemory(), before)
      assert.equal(answer.headers.get('x-robots-tag'), 'noindex')
      return answer.text()
    }
    const text = await missing('/t/nothing')
    assert.match(text, /<title>Page not found · [\s\S]*<div id="root"><p>missing \d+<\/p><\/div>/)
    // The app starts from scratch, since signed-in users may see more; for others, scripts make no difference.
    assert.doesNotMatch(text, /waymark-state|<noscript>|canonical|og:/)
    assert.match(text, /<script type="module" src="\/app\/main/)
    for (const address of [
      '/t/nothing',
      '/t/rim/999999',
      `/t/rim/${pending}`,
      `/t/nothing/${listed}`,
      '/t/x?y=1',
    ])
      assert.equal(await missing(address), text, address)
    assert.equal(await missing(`/i/${pending}`), await missing('/i/999999'))
    assert.equal(await missing('/routes/999999'), await missing('/routes/x'))
    // Only the app for signed-in users, who may have access.
    const own = await (await addSignedIn(waymark, 'member')).get(`/t/rim/${pending}`)
    assert.equal(own.status, 200)
    assert.match(own.text, /<div id="root"><\/div>/)
    assert.match(own.headers.get('cache-control') ?? '', /^private/)
    assert.equal(await missing(`/t/rim/${pending}`), text)
    // Once approved, it is public.
    await waymark.review(reviewer, pending, 'approve')
    assert.equal((await stateAt(`/t/rim/${pending}`)).url, `/t/rim/${pending}`)
    const byId = await waymark.fetch(`/i/${pending}`, { redirect: 'manual' })
    assert.deepEqual([byId.status, byId.headers.get('location')], [302, `/t/rim/${pending}`])
    const removed = await waymark.fetch(`/v2/images/${pending}`, { method: 'DELETE', token: reviewer.token })
    assert.equal(removed.status, 204)
    assert.equal(await missing(`/t/rim/${pending}`), text)
    assert.equal((await waymark.fetch(`/i/${pending}`, { redirect: 'manual' })).status, 404)
  })

  it('are not cached for cursors, of which there is no limit, and return 404 for unknown cursors', async () => {
    for (const address of ['/?cursor=abc', '/t/rim?cursor=abc', '/routes?cursor=abc']) {
      const { renders, url } = await stateAt(address)
      assert.equal(url, address)
      assert.equal((await stateAt(address)).renders, renders + 1, address)
    }
    const wrong = await waymark.fetch('/t/rim?cursor=wrong')
    assert.equal(wrong.status, 404)
    assert.match(await wrong.text(), /<p>missing \d+<\/p>/)
  })

  it('are compressed for clients that accept it', async () => {
    const { port } = new URL(waymark.url)
    const { request } = await import('node:http')
    const answer = await new Promise<{ coding: string | undefined; vary: string | undefined; body: Buffer }>(
      (resolve) => {
        request({ port, path: '/t/rim', headers: { 'Accept-Encoding': 'gzip, deflate, br' } }, (message) => {
          const parts: Buffer[] = []
          message
            .on('data', (part: Buffer) => parts.push(part))
            .on('end', () =>
              resolve({
                coding: message.headers['content-encoding'],
                vary: message.headers.vary,
                body: Buffer.concat(parts),
              }),
            )
        }).end()
      },
    )
    assert.equal(answer.coding, 'br')
    assert.match(answer.vary ?? '', /Accept-Encoding/i)
    assert.match(brotliDecompressSync(answer.body).toString(), /<p>rendered<\/p>/)
  })

  it('keep their policy: no scripts but our own files, and data that is never executed', async () => {
    const answer = await waymark.fetch('/t/rim')
    assert.match(
      answer.headers.get('content-security-policy') ?? '',
      /default-src 'none'; script-src 'self';/,
    )
    const scripts = [...(await answer.text()).matchAll(/<script[^>]*>/g)].map(([tag]) => tag)
    for (const tag of scripts) assert.match(tag, / src="\/assets\/| type="application\/(?:ld\+)?json"/, tag)
  })

  it('come from the latest build', async () => {
    assert.equal((await stateAt('/t/rim')).build, 'one')
    await writeFile(path.join(folder, 'server', 'server.js'), serverApp('two'))
    const later = new Date(Date.now() + 5_000)
    await utimes(path.join(folder, '.vite', 'manifest.json'), later, later)
    assert.equal((await stateAt('/t/rim')).build, 'two')
  })
})

void test('rendering a page counts as several views, and serving it from memory as one', async (t) => {
  const folder = await makeTinyApp()
  t.after(() => rm(folder, { recursive: true }))
  await mkdir(path.join(folder, 'server'))
  await writeFile(path.join(folder, 'server', 'server.js'), serverApp('one'))
  const environment = { WEB_APP: 'on', RATE_LIMIT_FACTOR: '1', RATE_VIEWS: '30' }
  const waymark = await startWaymark({ webFolder: folder, environment })
  t.after(() => waymark.close())
  const leftAfter = async (address: string): Promise<string | undefined> => {
    const answer = await waymark.fetch(address)
    assert.match(await answer.text(), /<div id="root"><p>rendered<\/p><\/div>/)
    return /r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]
  }
  assert.equal(await leftAfter('/'), '19')
  assert.equal(await leftAfter('/'), '18')
  assert.equal(await leftAfter('/?q=a'), '7')
  assert.equal(await leftAfter('/?q=b'), '0') // whoever has something left may begin
  assert.equal((await waymark.fetch('/?q=c')).status, 429)
})

void test('a part of the build that arrives later is loaded once it is there', async (t) => {
  const folder = await makeTinyApp()
  t.after(() => rm(folder, { recursive: true }))
  const waymark = await startWaymark({ webFolder: folder, environment: { WEB_APP: 'on' } })
  t.after(() => waymark.close())
  const isRendered = async (): Promise<boolean> =>
    (await (await waymark.fetch('/')).text()).includes('<p>rendered</p>')
  assert.equal(await isRendered(), false)
  await mkdir(path.join(folder, 'server'))
  await writeFile(path.join(folder, 'server', 'server.js'), serverApp('late'))
  assert.equal(await isRendered(), true)
})

void test('an app that cannot be rendered is logged, and a refusal by an endpoint is not', async (t) => {
  const folder = await makeTinyApp()
  t.after(() => rm(folder, { recursive: true }))
  await mkdir(path.join(folder, 'server'))
  await writeFile(path.join(folder, 'server', 'server.js'), serverApp('one'))
  let log = ''
  const logger = loggerTo({ write: (line) => void (log += line) }, 'info')
  const waymark = await startWaymark({ webFolder: folder, environment: { WEB_APP: 'on' }, logger })
  t.after(() => waymark.close())
  await waymark.fetch('/?q=limit')
  assert.doesNotMatch(log, /could not be rendered/)
  await waymark.fetch('/?q=outside&token=secret-of-a-link')
  assert.match(log, /"level":"?(?:40|warn)"?.*a page could not be rendered/)
  assert.doesNotMatch(log, /secret-of-a-link|127\.0\.0\.1:9/)
})
