// The process that works on images, one after the other: a file that crashes it or eats its memory ends it alone.
import { writeFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { examine } from './examine.ts'
import type { ImageLimits } from './image-limits.ts'

export interface Job {
  readonly bytes: Uint8Array
  readonly limits: ImageLimits
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
process.on('message', ({ bytes, limits }: Job) => {
  void examine(bytes, limits).then((outcome) => process.send?.(outcome))
})
offerForSacrifice()
flushCompileCache() // its end comes too suddenly to do it then
process.send?.('ready')
