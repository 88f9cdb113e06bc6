// Writes log lines in batches: a write per line would cost as much as answering a small request.
//
// A quiet server writes each line at the end of its turn of the event loop, a busy one about fifty times a second.
// Buffered lines are also written when the process exits, but not if the system kills it.
//
// Problems of the reader never affect the server. If it is slow, lines wait in memory up to a limit; if it is gone or
// its disk is full, lines are dropped; in either case the server continues, and the log says how many are missing as
// soon as it can be written again.

/** The part of process.stdout that is used. */
export interface LogOutput {
  /** Bytes that were handed over and wait for the reader. */
  readonly writableLength: number
  write(text: string, written: (error?: Error | null) => void): unknown
  on(event: 'error', listener: () => void): unknown
}

/** The shortest time between two writes; what a kill can take of the log. */
const gatherMs = 20

/** Written at once when this many characters are buffered: one turn may log without end. */
const maxGathered = 64 * 1024

/** What may wait for a slow reader, in bytes: some 40,000 requests. */
const maxWaitingBytes = 8 * 1024 * 1024

/** How long to wait after a failure: each attempt costs, and a reader that is gone seldom returns. */
const restMs = 1_000

/** In the form of every other line, with the level of what deserves a look. */
function noticeOf(missing: number): string {
  return `${JSON.stringify({ level: 40, time: Date.now(), missing, msg: 'log lines were dropped' })}\n`
}

export function createBatchedLog(output: LogOutput) {
  let gathered = ''
  let lines = 0
  let isDue = false
  /** Lines that could not be written since the last that could. */
  let missing = 0
  let restUntil = 0
  let writtenAt = Number.NEGATIVE_INFINITY

  // Without a listener a reader that goes away would end the process.
  output.on('error', () => undefined)

  function hand(text: string, count: number): void {
    output.write(text, (error) => {
      if (!error) return
      missing += count
      restUntil = performance.now() + restMs
    })
  }

  /** Writes the buffer now. */
  function flush(): void {
    if (lines === 0) return
    const text = gathered
    const count = lines
    gathered = ''
    lines = 0
    writtenAt = performance.now()
    if (writtenAt < restUntil || output.writableLength > maxWaitingBytes) {
      missing += count
      return
    }
    const notice = missing === 0 ? '' : noticeOf(missing)
    const lineCount = count + missing
    missing = 0
    hand(notice + text, lineCount)
  }

  function flushWhenDue(): void {
    isDue = false
    flush()
  }

  return {
    /** @param line with its line feed. Lines are written in the order of the calls. */
    write: (line: string): void => {
      gathered += line
      lines += 1
      if (gathered.length >= maxGathered) flush()
      if (isDue || lines === 0) return
      isDue = true
      if (performance.now() - writtenAt < gatherMs) setTimeout(flushWhenDue, gatherMs)
      else setImmediate(flushWhenDue)
    },

    /** For the end of the process, after which nothing is due any more. */
    flush,
  }
}
