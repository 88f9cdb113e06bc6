// `npm run screenshots [name…]`: captures every page of the app, light, dark and at phone size, into docs/screenshots/.
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import sharp from 'sharp'
import { appPages, type AppPage, type Onlooker } from '../tests/browser/app-pages.ts'
import { demoIdsFrom, openPage, signInAs } from '../tests/browser/demo-browser.ts'
import { startDemo, type DemoServer } from '../tests/browser/demo-server.ts'
import { findChromium } from '../tests/browser/shared-browser.ts'

const folder = path.resolve(import.meta.dirname, '../docs/screenshots')

const looks = [
  { name: 'light', colorScheme: 'light', width: 1_280, height: 860 },
  { name: 'dark', colorScheme: 'dark', width: 1_280, height: 860 },
  { name: 'phone', colorScheme: 'light', width: 390, height: 844 },
] as const

type Look = (typeof looks)[number]

const flags = [
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--disable-background-networking',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
]

async function take(page: Page, demo: DemoServer, look: Look, shown: AppPage): Promise<void> {
  await openPage(page, demo, shown)
  const picture = await page.screenshot({ animations: 'disabled' })
  await writeFile(
    path.join(folder, `${shown.name}-${look.name}.webp`),
    await sharp(picture).webp({ quality: 78 }).toBuffer(),
  )
}

async function openAs(browser: Browser, demo: DemoServer, look: Look, as: Onlooker): Promise<BrowserContext> {
  const { colorScheme, width, height } = look
  const context = await browser.newContext({
    colorScheme,
    viewport: { width, height },
    reducedMotion: 'reduce',
    locale: 'en-GB',
    hasTouch: look.name === 'phone',
  })
  context.setDefaultTimeout(20_000)
  await signInAs(await context.newPage(), demo, as)
  return context
}

function pageOf(context: BrowserContext): Page {
  const [page] = context.pages()
  if (!page) throw new Error('the window has no page')
  return page
}

const wanted = process.argv.slice(2)
await mkdir(folder, { recursive: true })
const demo = await startDemo()
const browser = await chromium.launch({
  executablePath: findChromium() ?? '/usr/bin/chromium',
  args: flags,
  chromiumSandbox: process.getuid?.() !== 0,
})
try {
  const [first] = looks
  const finding = await openAs(browser, demo, first, 'visitor')
  const ids = await demoIdsFrom(pageOf(finding), demo)
  await finding.close()
  for (const look of looks) {
    for (const as of ['visitor', 'member', 'reviewer', 'admin'] as const) {
      const context = await openAs(browser, demo, look, as)
      const page = pageOf(context)
      for (const shown of appPages(ids).filter((one) => one.as === as)) {
        if (wanted.length > 0 && !wanted.includes(shown.name)) continue
        await take(page, demo, look, shown).catch((error: unknown) => {
          process.exitCode = 2
          console.error(`${shown.name}, ${look.name}: ${String(error).split('\n')[0]}`)
        })
      }
      await context.close()
    }
  }
} finally {
  await browser.close()
  await demo.close()
}
