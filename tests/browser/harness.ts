// Browser windows for tests, and a list of everything that went wrong on a page.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { TestContext } from 'node:test'
import type { APIResponse, BrowserContext, Page, Route } from 'playwright-core'
import { borrowBrowser, findChromium } from './shared-browser.ts'

export interface BrowserOptions {
  /** If false, pages have no WebGL, and show a message instead of the map. */
  readonly hasMaps?: boolean
}

export interface VisitOptions {
  /** Allowed request origins; any other is reported. */
  readonly origins: readonly string[]
  readonly colorScheme?: 'light' | 'dark'
  readonly widthPx?: number
  readonly hasScripts?: boolean
  /** A touch screen. */
  readonly hasTouch?: boolean
  /** Statuses that are expected, for a page that is itself a refusal. */
  readonly expectedStatuses?: readonly number[]
}

export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  /**
   * Everything that went wrong so far, one sentence each: console errors (including violations of the
   * Content-Security-Policy), script errors, and requests that failed or went to another origin.
   */
  readonly pageErrors: readonly string[]
}

/** Observes a page, and those that it opens. */
function watch(
  context: BrowserContext,
  { origins, expectedStatuses = [] }: Pick<VisitOptions, 'origins' | 'expectedStatuses'>,
): string[] {
  const pageErrors: string[] = []
  const isExpected = (text: string): boolean =>
    expectedStatuses.some((status) => text.includes(`the server responded with a status of ${status}`))
  context.on('console', (message) => {
    const isReported = message.type() === 'error' || message.type() === 'warning'
    // Caused by the screenshot in software rendering, not by the page.
    if (message.text().includes('GPU stall due to ReadPixels')) return
    if (isReported && !isExpected(message.text())) pageErrors.push(`console: ${message.text()}`)
  })
  context.on('weberror', (error) => pageErrors.push(`script: ${error.error().message}`))
  context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (protocol !== 'data:' && !origins.includes(origin))
      pageErrors.push(`outside: ${request.method()} ${request.url()}`)
  })
  context.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? ''
    // Cancelled by Chromium itself because the page was left while, for example, its icon was loading. Requests blocked
    // by a policy or a server have another error.
    if (reason !== 'net::ERR_ABORTED') pageErrors.push(`failed: ${request.url()} ${reason}`)
  })
  context.on('response', (response) => {
    if (response.status() >= 400 && !expectedStatuses.includes(response.status()))
      pageErrors.push(`status ${response.status()}: ${response.url()}`)
  })
  return pageErrors
}

export interface TestBrowser {
  /** A new window with separate cookies. */
  visit(options: VisitOptions): Promise<Visit>
}

/** A handler of a route that is still at work, as for a request of the page that is closed, would fail after its test. */
async function closeQuietly(context: BrowserContext): Promise<void> {
  const routed = [context, ...context.pages()]
  await Promise.all(routed.map((one) => one.unrouteAll({ behavior: 'ignoreErrors' })))
  await context.close()
}

/** @returns undefined if Chromium is not installed; the test has been skipped and must only return. */
export async function openBrowser(
  t: TestContext,
  { hasMaps = false }: BrowserOptions = {},
): Promise<TestBrowser | undefined> {
  const executablePath = findChromium()
  if (executablePath === undefined) {
    t.skip('no Chromium: install the Debian package chromium-headless-shell, or set CHROMIUM_PATH')
    return undefined
  }
  const { browser, release } = await borrowBrowser(executablePath, hasMaps)
  const contexts = new Set<BrowserContext>()
  t.after(async () => {
    await Promise.all([...contexts].map(closeQuietly))
    release()
  })
  return {
    visit: async ({
      colorScheme = 'light',
      widthPx = 1_280,
      hasScripts = true,
      hasTouch = false,
      ...watched
    }) => {
      const context = await browser.newContext({
        colorScheme,
        viewport: { width: widthPx, height: 844 },
        javaScriptEnabled: hasScripts,
        hasTouch,
        reducedMotion: 'reduce',
      })
      contexts.add(context)
      context.once('close', () => contexts.delete(context))
      // With a software-rendered map and other tests in parallel, reading seven photos took more than half a minute.
      context.setDefaultTimeout(60_000)
      const pageErrors = watch(context, watched)
      const page = await context.newPage()
      // Listening only when a key is pressed may be too late: the dialog would already be open.
      page.on('filechooser', () => undefined)
      return { page, context, pageErrors }
    },
  }
}

/**
 * Header of a request that Playwright sends itself. It keeps connections, and the server may close one that has waited in the
 * moment in which it is used again.
 */
export const ownConnection = { connection: 'close' } as const

/** What the server answers to a request of the page. */
export const answerOf = (route: Route): Promise<APIResponse> =>
  route.fetch({ headers: { ...route.request().headers(), ...ownConnection } })

/** The part of axe's result that is used. */
interface AxeResults {
  readonly violations: readonly {
    readonly id: string
    readonly help: string
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
  }[]
}

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/**
 * Runs a text as a script on the page, bypassing its policy without changing it. As text, since tests are compiled
 * without DOM types.
 */
export async function evaluate(page: Page, expression: string): Promise<unknown> {
  const session = await page.context().newCDPSession(page)
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression,
    awaitPromise: true,
    returnByValue: true,
    allowUnsafeEvalBlockedByCSP: true,
  })
  await session.detach()
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
  return result.value
}

/** axe rules that depend on the colour scheme. */
const colourRules = ['color-contrast', 'link-in-text-block']

async function runAxe(page: Page, rules?: readonly string[]): Promise<string[]> {
  if ((await evaluate(page, 'typeof axe')) === 'undefined')
    await evaluate(page, await readFile(axeFile, 'utf8'))
  // During a colour transition, contrast is meaningless.
  await evaluate(
    page,
    `Promise.race([
      Promise.all(document.getAnimations()
        .filter((one) => one.effect?.getTiming().iterations !== Infinity)
        .map((one) => one.finished.catch(() => undefined))),
      new Promise((resolve) => setTimeout(resolve, 2000)),
    ]).then(() => true)`,
  )
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) })
  const answer = await evaluate(
    page,
    `axe.run(document, ${options}).then(({ violations }) => ({ violations }))`,
  )
  return (answer as AxeResults).violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${help}: ${html} ${failureSummary}`),
  )
}

/** axe-core's findings for the current page, one sentence each. */
export async function axeFindings(page: Page): Promise<string[]> {
  return runAxe(page)
}

/** In light and dark, following the system setting; leaves it light. */
export async function findingsInBothColours(page: Page, name = ''): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page
      .locator(`html[data-mantine-color-scheme=${colorScheme}], html:not([data-mantine-color-scheme])`)
      .waitFor()
    if (name !== '') await shoot(page, `${name} ${colorScheme}`)
    const findings = await runAxe(page, colorScheme === 'dark' ? colourRules : undefined)
    found.push(...findings.map((finding) => `${name} ${colorScheme}: ${finding}`))
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  return found
}

const findWide = `(() => {
  const { clientWidth, scrollWidth } = document.documentElement
  if (scrollWidth <= clientWidth) return []
  const wide = [...document.body.querySelectorAll('*')].filter(
    (element) => element.getBoundingClientRect().right > clientWidth,
  )
  return [scrollWidth + ' of ' + clientWidth + ' pixels', ...wide.map((element) => element.outerHTML.slice(0, 80))]
})()`

const narrowWithinMs = 5_000

/**
 * Elements beyond the right edge, if the page can be scrolled sideways. Layouts made by a script follow the window size in
 * later frames, so what is found must last.
 */
export async function sidewaysScroll(page: Page): Promise<string[]> {
  const end = Date.now() + narrowWithinMs
  for (;;) {
    const found = (await evaluate(page, findWide)) as string[]
    if (found.length === 0 || Date.now() > end) return found
    await page.waitForTimeout(50)
  }
}

/** In light and dark, in a wide window and on a phone, where nothing may overflow. */
export async function findingsInEveryLook(page: Page, name: string): Promise<string[]> {
  const found: string[] = []
  for (const width of [390, 1_280]) {
    await page.setViewportSize({ width, height: 844 })
    found.push(...(await findingsInBothColours(page, `${name} ${width}`)))
    found.push(...(await sidewaysScroll(page)).map((finding) => `${name} ${width}: ${finding}`))
  }
  return found
}

/** Saves a full-page screenshot if SHOTS_DIR is set. */
export async function shoot(page: Page, name: string): Promise<void> {
  const { SHOTS_DIR: folder } = process.env
  if (folder !== undefined)
    await page.screenshot({
      path: path.join(folder, `${name.replaceAll(/[^\w-]+/g, '_')}.png`),
      fullPage: true,
    })
}
