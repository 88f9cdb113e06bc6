// Directus, if installed in bench/peers. Otherwise its rows say "not measured".
import type { DirectusPeer } from '../peers/directus.ts'
import type { Absent, Contender, Ground } from './bench.ts'
import type { Ask, Load } from './load.ts'

export const peerName = 'directus'

export interface Peer {
  /** Skipped in a quick run: starting takes a minute. */
  contender(asks: (peer: DirectusPeer) => readonly Ask[], connections?: number): Promise<Contender | Absent>
  close(): Promise<void>
}

async function start(ground: Ground, photos: readonly Uint8Array[] | undefined) {
  if (ground.isQuick) return { name: peerName, absent: 'this is only a try.' }
  // Imported lazily: its dependencies are installed separately, or not at all.
  const { startDirectus } = await import('../peers/directus.ts')
  return startDirectus(ground, photos)
}

/** @param photos to be viewed; without them there are no views. */
export async function startPeer(ground: Ground, load: Load, photos?: readonly Uint8Array[]): Promise<Peer> {
  const started = await start(ground, photos)
  if ('absent' in started)
    return { contender: () => Promise.resolve(started), close: () => Promise.resolve() }
  const { port, pids, death, stop } = started
  return {
    contender: (asks, connections = 32) =>
      load.contender({ name: peerName, port, pids, death, connections, asks: asks(started) }),
    close: stop,
  }
}
