// Runs test files, and ends also where one of them hangs.
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

export interface Silence {
  /** Longer than any test takes. */
  readonly usualMs: number
  /** What a failed test leaves open may keep its process alive for ever. */
  readonly afterFailureMs: number
}

const minute = 60_000
const longestSilence: Silence = { usualMs: 30 * minute, afterFailureMs: 12 * minute }

/**
 * Ends all files once no test has begun or ended for so long. The report names those that were still running.
 * @returns whether all tests passed.
 */
export async function runStep(
  files: readonly string[],
  atOnce: number,
  { usualMs, afterFailureMs }: Silence = longestSilence,
): Promise<boolean> {
  const givenUp = new AbortController()
  const events = run({ files: [...files], concurrency: atOnce, signal: givenUp.signal })
  let isGood = true
  let timer: NodeJS.Timeout | undefined
  function listen(): void {
    clearTimeout(timer)
    const silentMs = isGood ? usualMs : afterFailureMs
    const why = `still running, and no test has begun or ended for ${silentMs / 1_000} s`
    timer = setTimeout(() => givenUp.abort(new Error(why)), silentMs)
  }
  listen()
  events.on('test:dequeue', listen)
  events.on('test:complete', listen)
  events.on('test:fail', ({ todo }) => {
    if (todo === undefined || todo === false) isGood = false
    listen()
  })
  const report = events.compose(spec)
  report.pipe(process.stdout, { end: false })
  await new Promise((resolve) => {
    report.once('end', resolve)
  })
  clearTimeout(timer)
  // A process that outlives its test file keeps a pipe open.
  if (givenUp.signal.aborted) process.exit(1)
  return isGood
}
