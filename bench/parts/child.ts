// A server in its own process. Its unexpected end is described in a sentence, and it is stopped when the benchmark ends.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

const stopMs = 10_000

export interface Child {
  readonly pid: number
  /** A sentence if it has ended unexpectedly. */
  death(): string | undefined
  close(): Promise<void>
}

const living = new Set<Child>()
const ends = new Set<() => void>()

/** Stops all servers however this process ends, except by SIGKILL, which would leave nginx's worker. */
const endAll = (): void => ends.forEach((end) => end())

/** Stops everything that a failed path has left running. */
export async function endChildren(): Promise<void> {
  await Promise.all([...living].map((child) => child.close()))
}

/**
 * @param name of the server in the sentence.
 * @param lastWords its last output, if known.
 */
export function watchChild(child: ChildProcess, name: string, lastWords: () => string): Child {
  let isWanted = true
  let death: string | undefined
  child.on('exit', (code, signal) => {
    if (!isWanted) return
    const words = lastWords().trim().split('\n').slice(-3).join(' ')
    death = `${name} ended with ${signal ?? `code ${code}`}${words === '' ? '' : `: ${words}`}.`
  })
  const end = (): void => void child.kill('SIGTERM')
  if (ends.size === 0) process.once('exit', endAll)
  ends.add(end)
  const watched: Child = {
    pid: child.pid ?? 0,
    death: () => death,
    close: async () => {
      isWanted = false
      living.delete(watched)
      ends.delete(end)
      if (ends.size === 0) process.removeListener('exit', endAll)
      if (child.exitCode !== null || child.signalCode !== null) return
      const exit = once(child, 'exit')
      end()
      const timer = setTimeout(() => child.kill('SIGKILL'), stopMs)
      await exit
      clearTimeout(timer)
    },
  }
  living.add(watched)
  return watched
}
