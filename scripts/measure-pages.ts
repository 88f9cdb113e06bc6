// `npm run measure-pages [runs]`: measures the load time of pages over a slow connection, using its own demo.
import { chromium, type Browser, type BrowserContextOptions } from 'playwright-core'
import { signInAs } from '../tests/browser/demo-browser.ts'
import { startDemo, type DemoServer } from '../tests/browser/demo-server.ts'
import { findChromium } from '../tests/browser/shared-browser.ts'
import { visitSlowly } from '../tests/browser/slow-line.ts'

const windows = {
  desk: { viewport: { width: 1_350, height: 940 } },
  phone: { viewport: { width: 412, height: 823 }, deviceScaleFactor: 1.75, isMobile: true, hasTouch: true },
} as const satisfies Record<string, BrowserContextOptions>

const pages = [
  { name: 'trails', path: '/', as: 'visitor' },
  { name: 'trail', path: '/t/lantern-ridge-trail', as: 'visitor' },
  {
    name: 'editor',
    path: '/routes/new',
    as: 'member',
    ready: 'section[aria-label="How do you want to start?"] button',
  },
  { name: 'review', path: '/review', as: 'reviewer', ready: 'main button:has-text("Approve")' },
] as const

async function measure(browser: Browser, demo: DemoServer, runs: number): Promise<void> {
  for (const [window, options] of Object.entries(windows)) {
    for (const page of pages) {
      for (let run = 0; run < runs; run += 1) {
        const context = await browser.newContext({ ...options, locale: 'en-GB' })
        const tab = await context.newPage()
        if (page.as !== 'visitor') {
          await signInAs(tab, demo, page.as)
          const state = await context.storageState()
          await context.close()
          const fresh = await browser.newContext({ ...options, locale: 'en-GB', storageState: state })
          await report(await fresh.newPage(), demo.url, window, page)
          await fresh.close()
          continue
        }
        await report(tab, demo.url, window, page)
        await context.close()
      }
    }
  }
}

async function report(
  tab: Parameters<typeof visitSlowly>[0],
  url: string,
  window: string,
  page: (typeof pages)[number],
): Promise<void> {
  const ready = 'ready' in page ? page.ready : undefined
  const seen = await visitSlowly(tab, { address: url + page.path, ready })
  const { firstPaintMs, largestPaintMs, largest, requests, bytes, scriptBytes, shift, readyMs } = seen
  const s = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`
  process.stdout.write(
    `${window.padEnd(6)} ${page.name.padEnd(8)} first paint ${s(firstPaintMs)}, largest ${s(largestPaintMs)} (${largest}), ` +
      `${requests} requests, ${(bytes / 1_000).toFixed(0)} kB, ${(scriptBytes / 1_000).toFixed(0)} kB of scripts, ` +
      `shift ${shift.toFixed(3)}${readyMs === undefined ? '' : `, ready ${s(readyMs)}`}\n`,
  )
}

const executablePath = findChromium()
if (executablePath === undefined) throw new Error('no Chromium')
const demo = await startDemo()
try {
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  })
  await measure(browser, demo, Number(process.argv[2] ?? 1))
  await browser.close()
} finally {
  await demo.close()
}
