// One process that works on images, as its owner sees it: started, given a job at a time, ended when a job is overdue.
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { ImageLimits } from './image-limits.ts'
import type { Takes } from './inspect.ts'
import type { Failed } from './outcome.ts'
import type { Job, Outcomes } from './rendition-worker.ts'
import type { UploadBytes } from './upload-bytes.ts'

/** How a job ended: with an outcome, or without, as the process came to its end before. */
export type JobEnd<T> =
  | { readonly kind: 'done'; readonly outcome: T }
  | { readonly kind: 'overdue' }
  /** It was killed, which on Linux is what happens where memory runs out, or never came up. */
  | { readonly kind: 'killed'; readonly why: string }
  /** The file brought it down: a decoder crashed, or used up what it was given. */
  | { readonly kind: 'crashed'; readonly why: string }

export interface WorkerProcess {
  /**
   * One job at a time. Unless the end is `done`, the process is gone when this resolves, and its memory with it.
   * @throws what reading the upload throws; the process is gone then too.
   */
  run<K extends keyof Outcomes>(
    kind: K,
    bytes: UploadBytes,
    held: { readonly limits: ImageLimits; readonly takes: Takes },
    maxMs: number,
  ): Promise<JobEnd<Outcomes[K] | Failed>>
  /** Resolves when the process is gone. */
  end(): Promise<void>
}

const startMs = 30_000
/** Our own part of the work keeps little on V8's heap; pixels and files lie outside it. */
const heapMegabytes = 256
const maxOutputCharacters = 4_096
const bytesOfPiece = 256 * 1_024

const entry = new URL('./rendition-worker.ts', import.meta.url)
/** Spares each process a third of its memory and most of its start; where nothing can be written, it does without. */
const compileCache = fileURLToPath(new URL('../../node_modules/.cache/waymark', import.meta.url))

function start(): ChildProcess {
  return fork(entry, {
    serialization: 'advanced',
    // Nothing that decodes a stranger's file needs to know the settings, or where anything is.
    // Two arenas, because glibc otherwise keeps the memory that each thread of the decoder freed.
    env: { MALLOC_ARENA_MAX: '2', NODE_COMPILE_CACHE: compileCache },
    execArgv: [`--max-old-space-size=${heapMegabytes}`],
    stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
  })
}

/** The end of its stderr, for the log: libraries write about each file there. */
function collectOutput(child: ChildProcess): () => string {
  let output = ''
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
    output = (output + piece).slice(-maxOutputCharacters)
  })
  return () => output
}

export function startWorkerProcess(): WorkerProcess {
  const child = start()
  const output = collectOutput(child)
  let hasEnded = false
  const ended = new Promise<string>((resolve) => {
    const finish = (how: string) => {
      hasEnded = true
      resolve(`${how} ${output()}`.trim())
    }
    child.once('error', (error) => finish(`It could not be started: ${error.message}.`))
    child.once('close', (code, signal) => finish(`It ended with ${signal ?? code}.`))
  })
  // An owner that forgets it is not kept alive by it, nor it by its owner: without the channel it ends itself.
  child.unref()
  child.channel?.unref()
  if (child.stderr instanceof Socket) child.stderr.unref()
  if (child.stdin instanceof Socket) child.stdin.unref()
  child.stdin?.on('error', () => {}) // it ended before it had read all, and how it ended is told elsewhere

  const kill = async (): Promise<void> => {
    child.ref()
    child.kill('SIGKILL')
    await ended
  }

  /** The next message, or undefined where none came in time or will come any more. */
  async function nextMessage(maxMs: number): Promise<unknown> {
    const over = new AbortController()
    const timer = setTimeout(() => over.abort(), maxMs)
    try {
      void ended.then(() => over.abort())
      const [message] = (await once(child, 'message', { signal: over.signal })) as [unknown]
      return message
    } catch {
      return undefined
    } finally {
      clearTimeout(timer)
    }
  }

  /** Of one piece after the other, so that the server never holds an upload whole to hand it over. */
  const memory = Buffer.allocUnsafeSlow(bytesOfPiece)

  /** @returns whether the pipe has taken them: not where the process is gone, or its pipe. */
  const take = (piece: Buffer): Promise<boolean> =>
    new Promise((resolve) => {
      if (child.stdin === null) resolve(false)
      else child.stdin.write(piece, (error) => resolve(!error))
    })

  /** Resolves when all is taken or nothing more can be. @throws what reading throws. */
  async function handOver(upload: UploadBytes): Promise<void> {
    for (let at = 0, isTaken = true; at < upload.bytes && isTaken;) {
      const piece = memory.subarray(0, Math.min(memory.length, upload.bytes - at))
      await upload.readInto(piece, at)
      isTaken = await take(piece)
      at += piece.length
    }
  }

  const ready = nextMessage(startMs)

  /** Why there was no message: it ended by itself, or is ended now. */
  async function judgeSilence(): Promise<JobEnd<never>> {
    if (!hasEnded) {
      await kill()
      return { kind: 'overdue' }
    }
    const why = await ended
    return child.signalCode === 'SIGKILL' ? { kind: 'killed', why } : { kind: 'crashed', why }
  }

  return {
    run: async (kind, upload, held, maxMs) => {
      if ((await ready) === undefined) {
        await kill()
        return { kind: 'killed', why: await ended }
      }
      const answer = nextMessage(maxMs)
      // It may be gone: then the answer tells, which knows more than the error of writing to it.
      const job: Job = { kind, byteLength: upload.bytes, ...held }
      child.send(job, () => {})
      const handing = handOver(upload)
      try {
        const outcome = await Promise.race([answer, handing.then(() => answer)])
        if (outcome === undefined) {
          const end = await judgeSilence()
          await handing // nothing is read of the upload any more
          return end
        }
        return { kind: 'done', outcome: outcome as Outcomes[typeof kind] | Failed }
      } catch (error) {
        await kill() // it may wait for bytes that nobody will send
        throw error
      }
    },
    end: kill,
  }
}
