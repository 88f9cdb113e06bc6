// A contender measured while another client writes at a steady rate.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender } from './bench.ts'
import type { Ask } from './load.ts'

export interface Writes {
  /** Name of the new contender. */
  readonly name: string
  readonly port: number
  readonly asks: readonly Ask[]
  readonly everySecond: number
}

/** @throws Error if a write is not answered with 200. */
export const besideWrites = (contender: Contender, { name, port, asks, everySecond }: Writes): Contender => ({
  name,
  slice: async (ms) => {
    const over = new AbortController()
    async function write(): Promise<void> {
      for (let turn = 0; !over.signal.aborted; turn += 1) {
        const ask = asks[turn % asks.length]
        if (!ask) throw new Error('There is nothing to write.')
        const { method = 'PUT', headers = {} } = ask
        const body = Buffer.from(ask.body ?? [])
        const [answer] = await Promise.all([
          fetch(`http://127.0.0.1:${port}${ask.path}`, { method, headers, body }),
          sleep(1_000 / everySecond),
        ])
        if (answer.status !== 200) throw new Error(`${name}: a write was answered ${answer.status}.`)
        await answer.arrayBuffer()
      }
    }
    const writing = write()
    writing.catch(() => undefined) // reported where it is awaited
    try {
      return await contender.slice(ms)
    } finally {
      over.abort()
      await writing
    }
  },
})
