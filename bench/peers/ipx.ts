// ipx as a peer of the benchmark: its own node handler in one process on loopback, over a folder of photos.
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
   * The path of a GET that answers 200, and is made anew each time: ipx keeps nothing. `name` is a file of the folder,
   * `modifiers` are ipx's, as `w_640` or those below.
   */
  view(name: string, modifiers: string): string
  /** A sentence where it has ended, though nobody asked it to. */
  death(): string | undefined
  stop(): Promise<void>
}

/** What ipx calls the sizes that we make; the quality of both is 80. There is no `lg`: ipx would encode that anew. */
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
