// ipx as a peer of the benchmark: its Node handler in one process on loopback, on a folder of photos.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { Absent, Ground } from '../parts/bench.ts'
import { watchChild } from '../parts/child.ts'
import { installedFile, notInstalled } from './installed.ts'

export const ipxName = 'ipx'
const startMs = 60_000

export interface IpxPeer {
  readonly pids: readonly number[]
  readonly port: number
  /**
   * Path of a GET answered with 200. It is generated each time, since ipx caches nothing. `name` is a file in the folder,
   * `modifiers` are those of ipx, such as `w_640`.
   */
  view(name: string, modifiers: string): string
  /** A sentence if it has ended unexpectedly. */
  death(): string | undefined
  stop(): Promise<void>
}

/** ipx's modifiers for the sizes that we make, both at quality 80. There is no `lg`, which ipx would encode again. */
export const ipxModifiers = {
  sm: 's_100x100,fit_inside',
  '150': 's_150x150,fit_cover',
  md: 's_300x300,fit_inside',
  '640': 's_640x640,fit_inside',
} as const

export async function startIpx(_ground: Ground, folderOfPhotos: string): Promise<IpxPeer | Absent> {
  const module = installedFile('ipx/dist/index.mjs')
  if (module === undefined) return { name: ipxName, absent: notInstalled(ipxName) }
  const server = fork(path.join(import.meta.dirname, 'ipx-server.ts'), [module, folderOfPhotos], {
    env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
  })
  const { pid, death, close } = watchChild(server, ipxName, () => '')
  const signal = AbortSignal.timeout(startMs)
  const [port] = (await Promise.race([
    once(server, 'message', { signal }),
    once(server, 'exit', { signal }).then(() => Promise.reject(new Error(death()))),
  ])) as [number]
  return {
    pids: [pid],
    port,
    view: (name, modifiers) => `/${modifiers}/${encodeURIComponent(name)}`,
    death,
    stop: close,
  }
}
