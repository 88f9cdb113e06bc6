// A process that reads one GPX document of 8 MiB and prints what that took, as JSON: memory, time, the longest turn.
import { setTimeout as wait } from 'node:timers/promises'
import { linesOf } from '../../../src/shared/gpx/gpx-document.ts'
import { readGpx } from '../../../src/shared/gpx/gpx.ts'
import { measure } from '../../../src/shared/geo/measures.ts'

const [head = '', chunk = 'x', tail = ''] = process.argv.slice(2)
const count = Math.floor((8 * 1024 ** 2 - head.length - tail.length) / chunk.length)
// Through bytes, as a request's body comes, and so that it is one flat string before anything is measured.
const text = Buffer.from(`${head}${chunk.repeat(count)}${tail}`).toString('utf8')

const before = process.memoryUsage.rss()
let peak = before
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss())
}, 5)

/** The processor's time of this thread: what others do on a busy machine is no hold of ours. */
const spentMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
let maxTurnMs = 0
let isWatching = false
const turns = (lastMs: number): void => {
  const nowMs = spentMs()
  maxTurnMs = Math.max(maxTurnMs, nowMs - lastMs)
  if (isWatching) setImmediate(turns, spentMs())
}
await wait(50)
isWatching = true
setImmediate(turns, spentMs())

const start = performance.now()
const reading = await readGpx([text])
const readMs = performance.now() - start
const measures = reading.ok ? await measure(linesOf(reading.value)) : undefined
isWatching = false
await wait(10)
clearInterval(watch)
peak = Math.max(peak, process.memoryUsage.rss())

const outcome = {
  fault: reading.ok ? undefined : reading.fault.detail,
  counts: reading.ok ? reading.value.counts : undefined,
  pointCount: measures?.pointCount,
  count,
  growthMegabytes: (peak - before) / 1e6,
  readMs,
  maxTurnMs,
}
process.stdout.write(JSON.stringify(outcome))
