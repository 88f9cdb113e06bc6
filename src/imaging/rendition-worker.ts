// The process that works on images, one after the other: a file that crashes it or eats its memory ends it alone.
import { readSync, writeFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { examine, examineMetadata, makeMarks, makeWebp } from './examine.ts'
import { freeBytes } from './free-bytes.ts'
import type { ImageLimits } from './image-limits.ts'
import type { Takes } from './inspect.ts'
import {
  forTravel,
  type DrawnMarks,
  type Examined,
  type Made,
  type MadeWebp,
  type MetadataRead,
} from './outcome.ts'

/** The result of each kind of job, if it succeeds. */
export interface Outcomes {
  /** All of an upload. */
  readonly examine: Made
  /** The small sizes in WebP from the stored base. */
  readonly webp: MadeWebp
  /** The metadata. */
  readonly metadata: MetadataRead
  /** The pictures of the site. */
  readonly marks: DrawnMarks
}

/** The bytes arrive on stdin, in chunks: over the IPC channel they would be copied four times. */
export interface Job {
  readonly kind: keyof Outcomes
  readonly byteLength: number
  readonly limits: ImageLimits
  readonly takes: Takes
}

/**
 * Reads uploads into one buffer, as large as the largest so far: new buffers would stay allocated until the garbage
 * collector runs.
 */
function createReader() {
  let memory = Buffer.alloc(0)
  /** Blocks until they have come: there is nothing else to do. */
  return (byteLength: number): Uint8Array => {
    if (memory.length < byteLength) memory = Buffer.allocUnsafeSlow(byteLength)
    const bytes = memory.subarray(0, byteLength)
    let at = 0
    while (at < byteLength) {
      const count = readSync(0, bytes.subarray(at))
      if (count === 0) process.kill(process.pid, 'SIGKILL') // the server is gone
      at += count
    }
    return bytes
  }
}

/** Ten of them would be kept until the collector runs: a third of what the process takes. */
function freeLarge({ renditions }: Examined): void {
  const large = renditions.find(({ name }) => name === 'lg')
  if (large) freeBytes(large.bytes)
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
const read = createReader()

async function work({ kind, byteLength, limits, takes }: Job): Promise<void> {
  const bytes = read(byteLength)
  if (kind === 'webp') {
    process.send?.(await makeWebp(bytes))
    return
  }
  if (kind === 'metadata') {
    process.send?.(examineMetadata(bytes, limits))
    return
  }
  if (kind === 'marks') {
    process.send?.(await makeMarks(bytes, limits))
    return
  }
  const outcome = await examine(bytes, limits, takes)
  const sent = forTravel(outcome)
  process.send?.(sent) // which has written it down when it returns
  if (outcome.ok && sent !== outcome) freeLarge(outcome.examined)
}

process.on('message', (job: Job) => void work(job))
offerForSacrifice()
flushCompileCache() // its end comes too suddenly to do it then
process.send?.('ready')
