// Windows of a real browser for tests, and a list of whatever went wrong on a page.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { TestContext } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { borrowBrowser, findChromium } from './shared-browser.ts'

export interface BrowserOptions {
  /** Left out: pages find no WebGL, and say so in the map's place. */
  readonly hasMaps?: boolean
}

export interface VisitOptions {
  /** Where requests may go; one to anywhere else is a trouble. */
  readonly origins: readonly string[]
  readonly colorScheme?: 'light' | 'dark'
  readonly widthPx?: number
  readonly hasScripts?: boolean
  /** A screen for fingers. */
  readonly hasTouch?: boolean
  /** Statuses that are no trouble here, for a page that is itself a refusal. */
  readonly expectedStatuses?: readonly number[]
}

export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  /**
   * Whatever went wrong so far, a sentence each: errors on the console (breaches of the Content-Security-Policy are told
   * there), errors of scripts, requests that failed or went to another origin.
   */
  readonly troubles: readonly string[]
}

/** Follows a page, and those that it opens. */
function watch(
  context: BrowserContext,
  { origins, expectedStatuses = [] }: Pick<VisitOptions, 'origins' | 'expectedStatuses'>,
): string[] {
  const troubles: string[] = []
  const isExpected = (text: string): boolean =>
    expectedStatuses.some((status) => text.includes(`the server responded with a status of ${status}`))
  context.on('console', (message) => {
    const isTold = message.type() === 'error' || message.type() === 'warning'
    // A picture of the window is what makes the software draw it: no fault of the page.
    if (message.text().includes('GPU stall due to ReadPixels')) return
    if (isTold && !isExpected(message.text())) troubles.push(`console: ${message.text()}`)
  })
  context.on('weberror', (error) => troubles.push(`script: ${error.error().message}`))
  context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (protocol !== 'data:' && !origins.includes(origin))
      troubles.push(`outside: ${request.method()} ${request.url()}`)
  })
  context.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? ''
    // Given up by Chromium itself because the page was left while, say, its icon was still on the way: no fault of ours.
    // What a policy stops, or a server, bears another name.
    if (reason !== 'net::ERR_ABORTED') troubles.push(`failed: ${request.url()} ${reason}`)
  })
  context.on('response', (response) => {
    if (response.status() >= 400 && !expectedStatuses.includes(response.status()))
      troubles.push(`status ${response.status()}: ${response.url()}`)
  })
  return troubles
}

export interface TestBrowser {
  /** A window of its own, with cookies of its own. */
  visit(options: VisitOptions): Promise<Visit>
}

/** @returns undefined where there is no Chromium: the test has been skipped then, and has only to return. */
export async function openBrowser(
  t: TestContext,
  { hasMaps = false }: BrowserOptions = {},
): Promise<TestBrowser | undefined> {
  const executablePath = findChromium()
  if (executablePath === undefined) {
    t.skip('no Chromium: install the Debian package chromium-headless-shell, or set CHROMIUM_PATH')
    return undefined
  }
  const { browser, giveBack } = await borrowBrowser(executablePath, hasMaps)
  const contexts: BrowserContext[] = []
  t.after(async () => {
    await Promise.all(contexts.map((context) => context.close()))
    giveBack()
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
      contexts.push(context)
      // Beside other tests, with a map that is drawn in software, seven photos took more than half a minute to be read.
      context.setDefaultTimeout(60_000)
      const troubles = watch(context, watched)
      const page = await context.newPage()
      // Whoever listens only when a key is pressed may be too late: the dialog has been opened for nobody by then.
      page.on('filechooser', () => undefined)
      return { page, context, troubles }
    },
  }
}

/** The part of axe's answer that is read here. */
interface AxeResults {
  readonly violations: readonly {
    readonly id: string
    readonly help: string
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
  }[]
}

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/**
 * Runs a text as a script on the page, past its policy and without changing it. As text, since tests are compiled without
 * the names of a browser.
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

/** What of axe's rules another colour scheme can break: all others judge what is the same in both. */
const colourRules = ['color-contrast', 'link-in-text-block']

async function runAxe(page: Page, rules?: readonly string[]): Promise<string[]> {
  if ((await evaluate(page, 'typeof axe')) === 'undefined')
    await evaluate(page, await readFile(axeFile, 'utf8'))
  // A colour on its way from light to dark is neither, and has no contrast of its own.
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

/** What axe-core finds wrong on the page as it stands, a sentence each. */
export async function axeFindings(page: Page): Promise<string[]> {
  return runAxe(page)
}

/** By day and by night, as the app's pages or the server's own follow the system; left by day. */
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

/** What reaches beyond the window to the right, where it can be scrolled sideways. */
export async function sidewaysScroll(page: Page): Promise<string[]> {
  return (await evaluate(page, findWide)) as string[]
}

/** In every look: by day and by night, in a wide window and on a phone, where nothing may be wider than it. */
export async function findingsInEveryLook(page: Page, name: string): Promise<string[]> {
  const found: string[] = []
  for (const width of [390, 1_280]) {
    await page.setViewportSize({ width, height: 844 })
    found.push(...(await findingsInBothColours(page, `${name} ${width}`)))
    // Layouts follow the window in the frames after it.
    const end = Date.now() + 5_000
    while ((await sidewaysScroll(page)).length > 0 && Date.now() < end) await page.waitForTimeout(50)
    found.push(...(await sidewaysScroll(page)).map((finding) => `${name} ${width}: ${finding}`))
  }
  return found
}

/** Keeps a picture of the whole page where SHOTS_DIR names a folder, to be looked at. */
export async function shoot(page: Page, name: string): Promise<void> {
  const { SHOTS_DIR: folder } = process.env
  if (folder !== undefined)
    await page.screenshot({
      path: path.join(folder, `${name.replaceAll(/[^\w-]+/g, '_')}.png`),
      fullPage: true,
    })
}
