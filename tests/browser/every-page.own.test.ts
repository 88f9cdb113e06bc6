// Every page of the app, with the demo's data and empty: axe in light and dark, no overflow on a phone, no console
// message, no request to elsewhere.
import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { appPages, type AppPage, type DemoIds, type Onlooker } from './app-pages.ts'
import { demoIdsFrom, openPage, signInAs } from './demo-browser.ts'
import { startDemo, startEmpty, type DemoServer } from './demo-server.ts'
import { findingsInEveryLook, openBrowser, type TestBrowser } from './harness.ts'

/** Tested with data elsewhere (account-look, admin-looks, docs-looks), including dialogs. */
const lookedAtElsewhere = /^(account|admin|docs)\b/

/** Guides are the same everywhere, and account-look starts with an empty account. */
const emptyElsewhere = /^(account|docs)\b/

const onlookers = ['visitor', 'member', 'reviewer', 'admin'] as const

async function visitAll(
  browser: TestBrowser,
  demo: DemoServer,
  as: Onlooker,
  pages: readonly AppPage[],
): Promise<string[]> {
  const { page, context, pageErrors } = await browser.visit({ origins: [demo.url] })
  await signInAs(page, demo, as)
  const found: string[] = []
  let reported = 0
  for (const shown of pages) {
    await openPage(page, demo, shown)
    found.push(...(await findingsInEveryLook(page, shown.name)))
    found.push(...pageErrors.slice(reported).map((pageError) => `${shown.name}: ${pageError}`))
    reported = pageErrors.length
  }
  await context.close()
  return found
}

async function start(t: TestContext, startServer: () => Promise<DemoServer>) {
  // Without maps, which map.test and routes-pages test: a software-rendered frame with one takes as long as a page
  // without.
  const browser = await openBrowser(t)
  if (!browser) return undefined
  const demo = await startServer()
  t.after(() => demo.close())
  return { browser, demo }
}

void describe('every page of the app', () => {
  void test('with data', async (t) => {
    const { browser, demo } = (await start(t, startDemo)) ?? {}
    if (!browser || !demo) return
    const { page, context } = await browser.visit({ origins: [demo.url] })
    const ids: DemoIds = await demoIdsFrom(page, demo)
    await context.close()
    for (const as of onlookers)
      await t.test(`as ${as}`, async () => {
        const pages = appPages(ids).filter(({ as: who, name }) => who === as && !lookedAtElsewhere.test(name))
        assert.deepEqual(await visitAll(browser, demo, as, pages), [])
      })
  })

  void test('of an empty installation', async (t) => {
    const { browser, demo } = (await start(t, startEmpty)) ?? {}
    if (!browser || !demo) return
    const nothing: DemoIds = { slug: '', imageId: 0, publicRouteId: 0, ownRouteId: 0 }
    for (const as of onlookers)
      await t.test(`as ${as}`, async () => {
        const pages = appPages(nothing).filter(
          ({ as: who, path, name }) => who === as && !/\/(0\b|t\/)/.test(path) && !emptyElsewhere.test(name),
        )
        assert.deepEqual(
          await visitAll(
            browser,
            demo,
            as,
            pages.map(({ name, path, as: who, keys = [] }) => ({ name, path, as: who, keys })),
          ),
          [],
        )
      })
  })
})
