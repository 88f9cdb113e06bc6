// A server in a process of its own: how it ended is told in a sentence, and it is ended when the benchmark is.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

const stopMs = 10_000

export interface Child {
  readonly pid: number
  /** A sentence where it has ended, though nobody asked it to. */
  death(): string | undefined
  close(): Promise<void>
}

const living = new Set<Child>()
const ends = new Set<() => void>()

/** Leaves no server running, however this process ends. (SIGKILL would leave nginx's worker.) */
const endAll = (): void => ends.forEach((end) => end())

/** Ends whatever a path has left behind, as one does that failed half-way. */
export async function endChildren(): Promise<void> {
  await Promise.all([...living].map((child) => child.close()))
}

/** @param name as the sentence calls it. @param lastWords what it said on its way, as far as known. */
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
