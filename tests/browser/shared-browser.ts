// The one Chromium of a process, shared by its tests: Debian's, through playwright-core, without network access.
import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

/** The headless one first, since it uses fewer resources. */
const usualPlaces = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

export function findChromium(): string | undefined {
  const { CHROMIUM_PATH: given } = process.env
  return given ?? usualPlaces.find((place) => existsSync(place))
}

/** It resolves only this machine's names and site.example, so that no test can reach the network. */
const flags = [
  '--host-resolver-rules=MAP site.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-quic',
  '--disable-sync',
  '--metrics-recording-only',
  '--no-pings',
]

/** Software rendering of maps without a graphics card; slow, so only for tests that look at a map. */
const mapFlags = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader']

interface Running {
  readonly browser: Browser
  users: number
}

/** One per process: starting a browser takes longer than most tests. */
const running = new Map<boolean, Promise<Running>>()

/** Time for the next test, or the next file of the process, to request it again. */
const lingerMs = 1_500

async function start(executablePath: string, hasMaps: boolean): Promise<Running> {
  const browser = await chromium.launch({
    executablePath,
    args: hasMaps ? [...flags, ...mapFlags] : [...flags, '--disable-gpu', '--disable-3d-apis'],
    // As root, Chromium's own sandbox does not start.
    chromiumSandbox: process.getuid?.() !== 0,
  })
  return { browser, users: 0 }
}

/** Closed when unused for a while, since it would keep the process alive. */
export async function borrowBrowser(executablePath: string, hasMaps: boolean) {
  const started = running.get(hasMaps) ?? start(executablePath, hasMaps)
  running.set(hasMaps, started)
  // A browser that did not start, crashed or is closing is not reused.
  const forget = (): void => {
    if (running.get(hasMaps) === started) running.delete(hasMaps)
  }
  const shared = await started.catch((error: unknown) => {
    forget()
    throw error
  })
  shared.users += 1
  shared.browser.once('disconnected', forget)
  const release = (): void => {
    shared.users -= 1
    const close = (): void => {
      if (shared.users > 0) return
      forget()
      void shared.browser.close()
    }
    setTimeout(close, lingerMs).unref()
  }
  return { browser: shared.browser, release }
}
