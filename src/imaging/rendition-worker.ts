// The process that works on images, one after the other: a file that crashes it or eats its memory ends it alone.
import { readSync, writeFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { examine, forTravel } from './examine.ts'
import type { ImageLimits } from './image-limits.ts'

/** The upload itself comes on stdin: through the channel it would be copied four times. */
export interface Job {
  readonly byteLength: number
  readonly limits: ImageLimits
}

/** Blocks until they have come: there is nothing else to do. */
function readUpload(byteLength: number): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(byteLength)
  let at = 0
  while (at < byteLength) {
    const count = readSync(0, bytes.subarray(at))
    if (count === 0) process.kill(process.pid, 'SIGKILL') // the server is gone
    at += count
  }
  return bytes
}

/** Where memory runs out, Linux ends this process before the server. Other systems have no such file. */
function offerForSacrifice(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // then the system chooses by size alone
  }
}

// A terminal and systemd signal the whole group, but the server still finishes the uploads under way.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
// The server is gone. Not by exit(), which would wait for a decode that nobody wants any more.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.on('message', ({ byteLength, limits }: Job) => {
  void examine(readUpload(byteLength), limits).then((outcome) => process.send?.(forTravel(outcome)))
})
offerForSacrifice()
flushCompileCache() // its end comes too suddenly to do it then
process.send?.('ready')
