// What benchmarks share: CPU of this process for one request, a bare node:http answer to compare with, medians.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'

/** CPU microseconds of this process for one of `count`, all threads counted. */
export async function cpuOf(count: number, work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}

/** Requests from another process, whose work is not counted. Fails where one is not answered 200. */
export async function askMany(url: string, count: number, token = ''): Promise<void> {
  const file = path.join(import.meta.dirname, 'client.ts')
  const child = spawn(process.execPath, [file, url, String(count)], {
    stdio: 'inherit',
    env: { ...process.env, BENCH_TOKEN: token },
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`the client of ${url} ended with ${code}`)
}

/** The limit of whatever answers through node:http. */
export async function startHello() {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': 5 }).end('hello')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => server.close(),
  }
}

export const median = (figures: readonly number[]): number =>
  figures.toSorted((one, other) => one - other)[Math.floor(figures.length / 2)] ?? 0

export const rangeOf = (figures: readonly number[], digits = 1): string =>
  `${median(figures).toFixed(digits)} (${Math.min(...figures).toFixed(digits)}–${Math.max(...figures).toFixed(digits)})`
