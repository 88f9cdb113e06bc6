// Every page without sign-in, in a real browser: light and dark, narrow and wide, below a path, without scripts.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { findingsInEveryLook, openBrowser, ownConnection } from './harness.ts'
import { startSite } from './site.ts'

/** Path to status. */
const pages: Readonly<Record<string, number>> = {
  '/': 200,
  '/problems': 200,
  '/problems/insufficient-storage': 200,
  '/oauth/authorize?client_id=nobody&response_type=code': 400,
}

async function lookAtPages(t: TestContext, mountPath: string): Promise<void> {
  const browser = await openBrowser(t)
  if (!browser) return
  const { origin, url } = await startSite(t, { mountPath })
  for (const [address, status] of Object.entries(pages)) {
    const { page, context, pageErrors } = await browser.visit({
      origins: [origin],
      expectedStatuses: [status],
    })
    const loaded: string[] = []
    page.on('response', (response) => loaded.push(response.url().replace(/\?v=[\w-]{12}$/, '')))
    const answer = await page.goto(url + address)
    assert.equal(answer?.status(), status, address)
    assert.ok(loaded.includes(`${url}/assets/waymark.css`), `${address}: ${loaded.join(' ')}`)
    assert.deepEqual(await findingsInEveryLook(page, mountPath + address), [])
    assert.deepEqual(pageErrors, [], address)
    await context.close()
  }
}

void test('axe finds nothing, nothing is blocked or loaded from other servers, nothing scrolls sideways', async (t) => {
  await lookAtPages(t, '')
})

void test('nor with the service mounted below a path', async (t) => {
  await lookAtPages(t, '/photos/of-trails')
})

void test('without scripts, no link of the pages is broken, also below a path', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { origin, url } = await startSite(t, { mountPath: '/photos' })
  const { page, pageErrors } = await browser.visit({ origins: [origin], hasScripts: false })
  for (const address of ['/', '/problems', '/problems/busy']) {
    await page.goto(url + address)
    const links = await page.getByRole('link').all()
    const targets = await Promise.all(links.map(async (link) => (await link.getAttribute('href')) ?? ''))
    for (const target of targets.filter((href) => !href.startsWith('#'))) {
      assert.ok(target.startsWith('/photos/'), `${address}: ${target}`)
      const { href } = new URL(target, url)
      const answer = await page.context().request.get(href, { headers: ownConnection })
      assert.equal(answer.status(), 200, target)
    }
  }
  assert.deepEqual(pageErrors, [])
})
