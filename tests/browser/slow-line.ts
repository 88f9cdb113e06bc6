// Loads a page with a slow connection and phone: 1.6 Mbps, 150 ms, a quarter of the CPU, an empty cache.
import type { Page } from 'playwright-core'

export interface SlowVisit {
  readonly firstPaintMs: number
  readonly largestPaintMs: number
  /** The element of the largest paint, such as `IMG`. */
  readonly largest: string
  /** Requests started before the largest paint, including the page. */
  readonly requests: number
  /** Compressed bytes received by then. */
  readonly bytes: number
  readonly scriptBytes: number
  /** Cumulative layout shift (CLS). */
  readonly shift: number
  /** When the page was ready for input; undefined if not requested. */
  readonly readyMs: number | undefined
}

export interface SlowVisitOptions {
  readonly address: string
  /** An element that must respond to a press. */
  readonly ready?: string | undefined
  /** Maximum wait. */
  readonly quietMs?: number
}

interface Reported {
  readonly type: string
  readonly at: number
  readonly bytes: number
  readonly begins: boolean
}

interface Paints {
  readonly first: number
  readonly largest: number
  readonly largestOf: string
  readonly shift: number
}

/** Read once the page is idle: performance entries from the start. */
const readPaints = `new Promise((resolve) => {
  const of = (type) => new Promise((done) => {
    const entries = []
    new PerformanceObserver((list) => entries.push(...list.getEntries())).observe({ type, buffered: true })
    setTimeout(() => done(entries), 50)
  })
  Promise.all([of('paint'), of('largest-contentful-paint'), of('layout-shift')]).then(([paints, larges, shifts]) => {
    const large = larges.at(-1)
    resolve({
      first: paints.find(({ name }) => name === 'first-contentful-paint')?.startTime ?? Infinity,
      largest: large?.startTime ?? Infinity,
      largestOf: large?.element?.nodeName ?? '',
      shift: shifts.reduce((sum, { value, hadRecentInput }) => sum + (hadRecentInput ? 0 : value), 0),
    })
  })
})`

const bytesPerSecond = (1.6 * 1_000_000) / 8
const defaultQuietMs = 1_500

/** @param page of a new context with an empty cache. */
export async function visitSlowly(page: Page, options: SlowVisitOptions): Promise<SlowVisit> {
  const { address, ready, quietMs = defaultQuietMs } = options
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Network.enable')
  await cdp.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond / 2,
  })
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  const reported: Reported[] = []
  const types = new Map<string, string>()
  let begun: number | undefined
  cdp.on('Network.requestWillBeSent', ({ requestId, timestamp, type = 'Other' }) => {
    begun ??= timestamp
    types.set(requestId, type)
    reported.push({ type, at: timestamp, bytes: 0, begins: true })
  })
  cdp.on('Network.dataReceived', ({ requestId, timestamp, encodedDataLength }) => {
    reported.push({
      type: types.get(requestId) ?? '',
      at: timestamp,
      bytes: encodedDataLength,
      begins: false,
    })
  })
  cdp.on('Network.responseReceived', ({ requestId, timestamp, response }) => {
    const bytes = response.encodedDataLength
    reported.push({ type: types.get(requestId) ?? '', at: timestamp, bytes, begins: false })
  })
  const start = performance.now()
  await page.goto(address, { waitUntil: 'commit' })
  let readyMs: number | undefined
  if (ready !== undefined) {
    await page.locator(ready).first().click({ trial: true, timeout: 60_000 })
    readyMs = performance.now() - start
  }
  await page.waitForLoadState('load')
  await page.waitForTimeout(quietMs)
  const paints = await page.evaluate<Paints>(readPaints)
  const end = (begun ?? 0) + paints.largest / 1_000
  const until = reported.filter(({ at }) => at <= end)
  const sum = (all: readonly Reported[]): number => all.reduce((total, { bytes }) => total + bytes, 0)
  await cdp.detach()
  return {
    firstPaintMs: paints.first,
    largestPaintMs: paints.largest,
    largest: paints.largestOf,
    requests: until.filter(({ begins }) => begins).length,
    bytes: sum(until),
    scriptBytes: sum(until.filter(({ type }) => type === 'Script')),
    shift: paints.shift,
    readyMs,
  }
}
