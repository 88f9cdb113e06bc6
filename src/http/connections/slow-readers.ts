// Closes connections of clients that read nothing, or almost nothing, of a response.
import type { Socket } from 'node:net'
import type { ServerLimits } from '../limits.ts'

/** How often each is checked. */
const maxTickMs = 1_000

/** What a client has read since it began to block us, or since the last check. */
interface Progress {
  readonly since: number
  readonly takenBefore: number
  taken: number
  movedAt: number
}

/** Used by Node's own socket timeout, too: no public API says how much of a write the kernel has taken. */
interface Handle {
  readonly bytesWritten: number
  readonly writeQueueSize: number
}

/** Bytes that the kernel has taken; if the handle does not say, those of completed writes. */
function takenOf(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { readonly _handle?: Partial<Handle> | null }
  if (handle?.bytesWritten === undefined || handle.writeQueueSize === undefined)
    return socket.bytesWritten - socket.writableLength
  return handle.bytesWritten - handle.writeQueueSize
}

/**
 * Closes connections that have read nothing of a response for IDLE_TIMEOUT, or less than DOWNLOAD_MIN_BYTES_PER_SECOND
 * on average in that time. Bytes that the client sends meanwhile do not count: one byte now and then would hold a file
 * and a buffer for ever.
 * @param onTick is called after each check.
 * @returns a function that ends the checks.
 */
export function watchReaders(
  open: ReadonlySet<Socket>,
  limits: ServerLimits,
  onTick: (now: number) => void,
): () => void {
  const idleMs = limits.idleSeconds * 1_000
  const floorBytes = limits.downloadFloorBytes * limits.idleSeconds
  const slow = new WeakMap<Socket, Progress>()

  function checkPace(socket: Socket, now: number): void {
    const taken = takenOf(socket)
    const known = slow.get(socket)
    if (known === undefined) {
      slow.set(socket, { since: now, takenBefore: taken, taken, movedAt: now })
      return
    }
    if (taken > known.taken) Object.assign(known, { taken, movedAt: now })
    const isDue = now - known.since >= idleMs
    // Reset, since the kernel would keep what lies there for minutes after an orderly end.
    if (now - known.movedAt >= idleMs || (isDue && taken - known.takenBefore < floorBytes))
      socket.resetAndDestroy()
    else if (isDue) slow.set(socket, { ...known, since: now, takenBefore: taken })
  }

  const timer = setInterval(
    () => {
      const now = performance.now()
      for (const socket of open) {
        if (socket.writableLength > 0) checkPace(socket, now)
        else slow.delete(socket)
      }
      onTick(now)
    },
    Math.min(maxTickMs, idleMs / 4),
  ).unref()
  return () => clearInterval(timer)
}
