// Shared by long-running commands: a progress line in terminals, and clean cancellation.
import { fail } from './failures.ts'
import { counted, printable, sized } from './output.ts'

const drawEveryMs = 200
/** Back to the start of the line, and clear it. */
export const clearLine = '\r\u001B[K'

export interface PhotosDone {
  readonly contents: number
  readonly allContents: number
  readonly bytes: number
}

const photosLine = ({ contents, allContents, bytes }: PhotosDone): string =>
  `${contents.toLocaleString('en')} of ${counted(allContents, 'photo')}, ${sized(bytes)}`

/** A progress line on stderr that is redrawn; nothing if stderr is not a terminal. */
export function createLine<Done>(stream: NodeJS.WriteStream, lineOf: (done: Done) => string) {
  let drawnAt = Number.NEGATIVE_INFINITY
  return {
    draw: (done: Done): void => {
      if (!stream.isTTY || performance.now() - drawnAt < drawEveryMs) return
      drawnAt = performance.now()
      stream.write(`${clearLine}${printable(lineOf(done))}`)
    },
    clear: (): void => {
      if (drawnAt > 0) stream.write(clearLine)
    },
  }
}

export const createProgressLine = (stream: NodeJS.WriteStream) => createLine(stream, photosLine)

/**
 * Runs work that can be stopped by Ctrl+C, SIGTERM or closing the terminal: it throws at its next step and cleans up.
 * @param sentence the message for the user in that case.
 */
export async function stoppable<T>(sentence: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const stop = (): void => controller.abort(fail('stopped', sentence))
  // `disconnect`: the launcher for old Node versions has exited (bin/newer-node.cjs).
  const events = ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const
  for (const event of events) process.on(event, stop)
  try {
    return await work(controller.signal)
  } finally {
    for (const event of events) process.off(event, stop)
  }
}
