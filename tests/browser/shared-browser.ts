// The one Chromium of a process, which its tests share: Debian's, through playwright-core, with no way to the network.
import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

/** The one without windows first, since it takes less of the machine. */
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

/** No name but this machine's is known to it, and site.example as one more, so that no test can reach the network, whatever a page asks for. */
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

/** Draws maps in software, where there is no graphics card; slow, so only for tests that look at one. */
const mapFlags = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader']

interface Running {
  readonly browser: Browser
  users: number
}

/** Of this process: a browser takes longer to start than most tests to run. */
const running = new Map<boolean, Promise<Running>>()

/** What the next test, or the next file of the process, takes to ask for it again. */
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

/** Closed when nobody has asked for it for a while, since it would keep the process. */
export async function borrowBrowser(executablePath: string, hasMaps: boolean) {
  const started = running.get(hasMaps) ?? start(executablePath, hasMaps)
  running.set(hasMaps, started)
  // Nobody after this gets one that did not start, has crashed or is about to close.
  const forget = (): void => {
    if (running.get(hasMaps) === started) running.delete(hasMaps)
  }
  const shared = await started.catch((error: unknown) => {
    forget()
    throw error
  })
  shared.users += 1
  shared.browser.once('disconnected', forget)
  const giveBack = (): void => {
    shared.users -= 1
    const close = (): void => {
      if (shared.users > 0) return
      forget()
      void shared.browser.close()
    }
    setTimeout(close, lingerMs).unref()
  }
  return { browser: shared.browser, giveBack }
}
