// What the commands that run for long have in common: a line of progress for a person who watches, and a way to stop them.
import { fail } from './failures.ts'
import { counted, sized } from './output.ts'

const drawEveryMs = 200
/** Back to the begin of the line, which is emptied. */
export const clearLine = '\r\u001B[K'

export interface PhotosDone {
  readonly contents: number
  readonly allContents: number
  readonly bytes: number
}

const photosLine = ({ contents, allContents, bytes }: PhotosDone): string =>
  `${contents.toLocaleString('en')} of ${counted(allContents, 'photo')}, ${sized(bytes)}`

/** One line on stderr that is drawn over itself; nothing at all where nobody watches. */
export function createLine<Done>(stream: NodeJS.WriteStream, lineOf: (done: Done) => string) {
  let drawnAt = Number.NEGATIVE_INFINITY
  return {
    draw: (done: Done): void => {
      if (!stream.isTTY || performance.now() - drawnAt < drawEveryMs) return
      drawnAt = performance.now()
      stream.write(`${clearLine}${lineOf(done)}`)
    },
    clear: (): void => {
      if (drawnAt > 0) stream.write(clearLine)
    },
  }
}

export const createProgressLine = (stream: NodeJS.WriteStream) => createLine(stream, photosLine)

/**
 * Runs work that Ctrl+C, SIGTERM or the end of the terminal stops in good order: it throws at its next step and clears up.
 * @param sentence what the person is told then.
 */
export async function stoppable<T>(sentence: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const stop = (): void => controller.abort(fail('stopped', sentence))
  // `disconnect`: the launcher that an old Node needs is gone (bin/newer-node.cjs).
  const events = ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const
  for (const event of events) process.on(event, stop)
  try {
    return await work(controller.signal)
  } finally {
    for (const event of events) process.off(event, stop)
  }
}
