// The SDK in Chromium, from client/ with types removed: cookies, XMLHttpRequest, streams and the browser's crypto.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import path from 'node:path'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import type { Progress } from '../../client/client.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { addSignedIn } from '../helpers/visitor.ts'
import { openBrowser } from './harness.ts'
import { startSite } from './site.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** Serves client/ at /sdk/ of the same site, so that its Content-Security-Policy allows it. */
async function serveSdk(page: Page): Promise<void> {
  await page.route('**/sdk/*.ts', async (route) => {
    const file = path.basename(new URL(route.request().url()).pathname)
    const text = await readFile(path.join(root, 'client', file), 'utf8')
    await route.fulfill({ contentType: 'text/javascript', body: stripTypeScriptTypes(text) })
  })
}

void test('the SDK runs in a browser: session, upload with progress, abort, events, PKCE', async (t) => {
  const browser = await openBrowser(t)
  if (browser === undefined) return
  const { waymark, url, origin } = await startSite(t)
  await waymark.addTrail(7, 'Ridge')
  const member = await addSignedIn(waymark)
  const { page, context, pageErrors } = await browser.visit({
    origins: [origin],
    expectedStatuses: [404, 415],
  })
  for (const [name, value] of member.jar) await context.addCookies([{ name, value, url }])
  await serveSdk(page)
  // The photo is sent only once the events of after are received.
  const listening = Promise.withResolvers<void>()
  page.on('response', (response) => {
    if (new URL(response.url()).pathname === '/v2/events') listening.resolve()
  })
  const lose = async (route: Route): Promise<void> => {
    await listening.promise
    await route.abort('connectionreset')
  }
  await page.route('**/v2/trails/7/images', lose, { times: 1 })
  await page.goto(`${url}/v2/terms`)
  const bytes = [...(await jpegPicture())]

  const seen: unknown = await page.evaluate(`(async () => {
    const { createWaymark, createOauth, isWaymarkProblem } = await import('/sdk/client.ts')
    const waymark = createWaymark({ baseUrl: '', credential: 'session' })
    const me = await waymark.me.get()

    const events = waymark.events()
    const heard = events.next()
    const photo = new Uint8Array(2_000_000)
    photo.set(${JSON.stringify(bytes)})
    const told = []
    const onProgress = (progress) => told.push(progress)
    const image = await waymark.images.upload(7, new Blob([photo], { type: 'image/jpeg' }), { title: 'Gate' }, { onProgress })
    const giveUp = new AbortController()
    giveUp.abort()
    const givenUp = await waymark.images.upload(7, new Blob([photo]), {}, { onProgress: () => {}, signal: giveUp.signal }).catch(({ name }) => name)
    const refused = await waymark.images
      .upload(7, new Blob(['no photo']), {}, { onProgress: () => {} })
      .catch((error) => isWaymarkProblem(error) && error.code)
    const removed = await waymark.images.remove(image.imageID)

    const items = []
    for await (const { status } of waymark.images.each()) items.push(status)
    await waymark.routes.create(me.acctID, { name: 'Loop' })
    const { value: event } = await heard
    await events.return()
    const { url } = await createOauth({ baseUrl: '', clientId: 'app', redirectUri: 'https://app.example/' }).begin()
    return {
      acctID: me.acctID,
      title: image.title,
      isRemoved: removed === undefined,
      event: event.type,
      told, givenUp, refused, items, url,
    }
  })()`)
  const { acctID, url: authorizeUrl, told, ...rest } = seen as Record<string, unknown> & { told: Progress[] }
  assert.equal(acctID, member.accountId)
  assert.match(String(authorizeUrl), /^\/oauth\/authorize\?client_id=app&.*code_challenge=[\w-]{43}&/)
  assert.ok(told.every(({ sentBytes }, at) => sentBytes >= (told[at - 1]?.sentBytes ?? 0)))
  const last = told.at(-1)
  assert.ok(last && last.sentBytes === last.totalBytes && last.totalBytes > 2_000_000)
  assert.deepEqual(rest, {
    title: 'Gate',
    givenUp: 'AbortError',
    refused: 'unsupported-image-type',
    isRemoved: true,
    items: [],
    event: 'image.uploaded',
  })
  const lost = pageErrors.filter((pageError) => pageError.includes('ERR_CONNECTION_RESET'))
  assert.ok(lost.length > 0, 'the first attempt was lost')
  assert.deepEqual(
    pageErrors.filter((pageError) => !lost.includes(pageError)),
    [],
  )
})
