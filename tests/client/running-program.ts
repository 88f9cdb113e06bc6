// A user's program at run time: its output, until it ends or is killed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'

export interface RunningProgram {
  /** Its output so far. */
  readonly lines: string[]
  /**
   * The first matching line, past or future.
   * @throws if the program ends without one.
   */
  line(pattern: RegExp): Promise<string>
  /** Its result once it has ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
}

export function startProgram(
  t: TestContext,
  folder: string,
  { args, environment }: { args: readonly string[]; environment: Readonly<Record<string, string>> },
): RunningProgram {
  const child = spawn(process.execPath, ['--no-strip-types', ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  const waiting = new Set<() => void>()
  const wake = (): void => {
    for (const look of waiting) look()
  }
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line)
      wake()
    })
  let isOver = false
  const ended = once(child, 'close').then(([code, signal]) => {
    isOver = true
    wake()
    return { code: code as number | null, signal: signal as string | null }
  })
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    if (!isOver) child.kill(signal)
    await ended
  }
  t.after(() => end('SIGKILL'))
  return {
    lines,
    ended,
    end,
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines.find((line) => pattern.test(line))
          if (found === undefined && !isOver) return
          waiting.delete(look)
          if (found === undefined) reject(new Error(`No ${pattern} in:\n${lines.join('\n')}`))
          else resolve(found)
        }
        waiting.add(look)
        look()
      }),
  }
}
