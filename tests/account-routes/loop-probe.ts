// Preloaded into a server: on SIGUSR2, writes to a file how long the event loop was blocked.
import { closeSync, openSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/** The longest delay since the last report, between two timers of a millisecond. */
export interface Held {
  /** Wall-clock time. */
  readonly clockMs: number
  /** Without the time in which the thread was runnable but others ran: working, or waiting for the disk. */
  readonly ownMs: number
  /** CPU time of the thread. */
  readonly busyMs: number
}

const file = process.execArgv.find((argument) => argument.startsWith('--title='))?.slice('--title='.length)

/** The kernel's statistics of the thread: nanoseconds running, nanoseconds waiting, number of time slices. */
function createAccount(): () => { busyMs: number; waitedMs: number } {
  const account = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  const bytes = Buffer.alloc(80)
  process.on('exit', () => closeSync(account))
  return () => {
    const length = readSync(account, bytes, 0, bytes.length, 0)
    const [busy = 0, waited = 0] = bytes.toString('latin1', 0, length).split(' ').map(Number)
    return { busyMs: busy / 1e6, waitedMs: waited / 1e6 }
  }
}

if (isMainThread && file !== undefined) {
  const account = createAccount()
  let max: Held = { clockMs: 0, ownMs: 0, busyMs: 0 }
  let last = { at: performance.now(), ...account() }
  const look = (): void => {
    const now = { at: performance.now(), ...account() }
    const clockMs = now.at - last.at
    max = {
      clockMs: Math.max(max.clockMs, clockMs),
      ownMs: Math.max(max.ownMs, clockMs - (now.waitedMs - last.waitedMs)),
      busyMs: Math.max(max.busyMs, now.busyMs - last.busyMs),
    }
    last = now
  }
  setInterval(look, 1).unref()
  process.on('SIGUSR2', () => {
    look()
    writeFileSync(`${file}.new`, JSON.stringify(max))
    renameSync(`${file}.new`, file)
    max = { clockMs: 0, ownMs: 0, busyMs: 0 }
    last = { at: performance.now(), ...account() }
  })
}
