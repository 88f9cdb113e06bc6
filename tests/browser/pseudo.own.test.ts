// Every page of the app in the pseudo-locale: all UI texts come from a catalogue, and texts that are 40 % longer fit,
// also on a phone.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page, Response } from 'playwright-core'
import { appPages, type AppPage } from './app-pages.ts'
import { demoIdsFrom, openPage, signInAs } from './demo-browser.ts'
import { startDemo, type DemoServer } from './demo-server.ts'
import { evaluate, openBrowser, sidewaysScroll } from './harness.ts'

const onlookers = ['visitor', 'member', 'reviewer', 'admin'] as const

/** Guides and API reference are in English in every language. */
const documents = /^docs/

/** Output of Intl, which has no pseudo-locale: dates, times, distances and sizes. */
const month = '(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*'
const byIntl: readonly RegExp[] = [
  new RegExp(`${month} \\d{1,2}(, \\d{4})?(, \\d{1,2}:\\d{2} [AP]M)?`, 'g'),
  /\(UTC([+−]\d+(:\d\d)?)?\)/g,
  /\b(now|today|yesterday|tomorrow)\b/g,
  /\b(in \d+ \w+|\d+ \w+ ago|(last|next) (week|month|year))\b/g,
  /[\d.,]+ (mi|ft|km|m|ms|byte|kB|MB|GB|TB)\b/g,
]

/** Names that are the same in every language. */
const names = /^(Waymark|Waymark Demo|JPEG|PNG|GIF|BMP|GPX|KML|GeoJSON|http:\/\/127\.0\.0\.1:\S+)$/

/** On single pages: audit codes and names of licences. */
const exceptions: Readonly<Record<string, RegExp>> = {
  'admin-audit': /^[a-z]+([A-Z][a-z]+|[.-][a-z]+)*$/,
  'admin-terms': /^(CC0|Creative Commons) /,
}

/** Visible or accessible texts, one by one. */
const readTexts = `(() => {
  const texts = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const { parentElement: parent } = node
    if (parent === null || parent.closest('script, style, noscript, code, pre, kbd') !== null) continue
    texts.push(node.data)
  }
  for (const name of ['aria-label', 'title', 'placeholder', 'alt', 'aria-description'])
    for (const element of document.body.querySelectorAll('[' + name + ']:not([aria-hidden=true])')) texts.push(element.getAttribute(name))
  return texts
})()`

/** Every text in API responses. */
function valuesIn(value: unknown, into: Set<string>): void {
  if (typeof value === 'string') into.add(value.replaceAll(/\s+/g, ' ').trim())
  else if (typeof value === 'object' && value !== null)
    for (const one of Object.values(value)) valuesIn(one, into)
}

/** In a server-rendered page, the responses it was rendered from. */
const stateOfPage = /<script type="application\/json" id="waymark-state">([^<]*)<\/script>/

async function dataOf(answers: readonly Response[]): Promise<Set<string>> {
  const data = new Set<string>()
  for (const answer of answers) {
    const type = answer.headers()['content-type'] ?? ''
    // The live stream never ends.
    if (!/json|html/.test(type)) continue
    const text = await answer.text().catch(() => '')
    const json = type.includes('html') ? (stateOfPage.exec(text)?.[1] ?? '') : text
    if (json.trim() !== '') valuesIn(JSON.parse(json), data)
  }
  return data
}

const isWord = (text: string): boolean => /\p{L}{2}/u.test(text)

/** Removes catalogue texts, which may contain other catalogue texts. */
function outsideBrackets(text: string): string {
  const inner = text.replaceAll(/\[[^[\]]*\]/g, ' ')
  return inner === text ? text : outsideBrackets(inner)
}

/** Part of a user's text may appear alone, such as what an edit added. */
const isData = (text: string, data: ReadonlySet<string>): boolean =>
  data.has(text) || (text.length > 12 && [...data].some((value) => value.includes(text)))

function isUnexplained(text: string, { name }: AppPage, data: ReadonlySet<string>): boolean {
  const outside = byIntl.reduce((rest, pattern) => rest.replaceAll(pattern, ' '), outsideBrackets(text))
  const rest = outside.replaceAll(/^[\s:·,–]+|[\s:·,–]+$/g, '').replaceAll(/\s+/g, ' ')
  return isWord(rest) && !isData(rest, data) && !names.test(rest) && exceptions[name]?.test(rest) !== true
}

async function judge(
  page: Page,
  demo: DemoServer,
  shown: AppPage,
  answers: readonly Response[],
): Promise<string[]> {
  await openPage(page, demo, shown)
  const data = await dataOf(answers)
  const texts = (await evaluate(page, readTexts)) as readonly string[]
  const left = documents.test(shown.name) ? [] : texts.filter((text) => isUnexplained(text, shown, data))
  return [...new Set(left)].map((text) => `${shown.name}: ${text}`)
}

void describe('every page of the app in the pseudo-locale', () => {
  void test('is in the catalogues, and has room', async (t) => {
    const browser = await openBrowser(t)
    if (!browser) return
    const demo = await startDemo()
    t.after(() => demo.close())
    const first = await browser.visit({ origins: [demo.url] })
    const pages = appPages(await demoIdsFrom(first.page, demo))
    await first.context.close()
    for (const as of onlookers)
      await t.test(`as ${as}`, async () => {
        const { page, context } = await browser.visit({ origins: [demo.url], widthPx: 390 })
        const answers: Response[] = []
        page.on('response', (answer) => {
          const isPage = answer.request().resourceType() === 'document'
          if (isPage || new URL(answer.url()).pathname.startsWith('/v2/')) answers.push(answer)
        })
        await signInAs(page, demo, as)
        await context.addCookies([{ name: 'waymark_language', value: 'en-XA', url: demo.url }])
        const found: string[] = []
        for (const shown of pages.filter(({ as: who }) => who === as)) {
          found.push(...(await judge(page, demo, shown, answers)))
          found.push(
            ...(await sidewaysScroll(page)).slice(0, 12).map((part) => `${shown.name} is too wide: ${part}`),
          )
        }
        await context.close()
        assert.deepEqual(found, [])
      })
  })
})
