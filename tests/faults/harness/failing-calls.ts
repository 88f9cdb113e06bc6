// Controls failing-calls.c: chooses which file-system call of a server fails, and reads which calls were made.
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { constants } from 'node:os'
import path from 'node:path'
import { compilePreload } from './preload.ts'

// The layout of struct control.
const headBytes = 24
const textBytes = 160
const logged = 4_096
const allBytes = headBytes + textBytes * (logged + 1)

export const failures = {
  EIO: constants.errno.EIO,
  ENOSPC: constants.errno.ENOSPC,
  EMFILE: constants.errno.EMFILE,
}
export type Failure = keyof typeof failures

export interface FailingCalls {
  /** Add to the settings of the server. */
  readonly settings: Readonly<Record<string, string>>
  /** Starts counting calls, and fails the `nth`; 0 for none. */
  arm(nth: number, failure?: Failure): void
  /** Like `arm`, but kills the process at the `nth` call. */
  armKill(nth: number): void
  /**
   * Stops counting.
   * @returns the calls made, such as `pwrite64 waymark.sqlite`.
   */
  disarm(): { readonly calls: readonly string[]; readonly failed: string | undefined }
  close(): void
}

/**
 * @param root only calls on files below it count.
 * @param folder for the shared control file; outside `root`.
 */
export function createFailingCalls(root: string, folder: string): FailingCalls {
  const file = path.join(folder, 'fault-control')
  const descriptor = openSync(file, 'w+', 0o600)
  writeSync(descriptor, Buffer.alloc(allBytes), 0, allBytes, 0)

  function write(words: readonly number[]): void {
    const head = Buffer.alloc(headBytes)
    words.forEach((word, index) => head.writeUInt32LE(word, index * 4))
    writeSync(descriptor, head, 0, headBytes, 0)
  }

  function read(): Buffer {
    const all = Buffer.alloc(allBytes)
    readSync(descriptor, all, 0, allBytes, 0)
    return all
  }

  function textAt(all: Buffer, index: number): string {
    const at = headBytes + index * textBytes
    const text = all.toString('utf8', at, at + textBytes)
    return text.slice(0, text.indexOf('\0'))
  }

  return {
    settings: {
      LD_PRELOAD: compilePreload('failing-calls.c'),
      FAULT_CONTROL: file,
      FAULT_ROOT: root,
      // One thread, so that calls always come in the same order.
      UV_THREADPOOL_SIZE: '1',
      IMAGE_JOBS: '1',
    },
    arm: (nth, failure = 'EIO') => write([1, nth, failures[failure], 0, 0, 0]),
    armKill: (nth) => write([1, nth, 0, constants.signals.SIGKILL, 0, 0]),
    disarm: () => {
      const all = read()
      write([0, 0, 0, 0, 0, 0])
      const seen = Math.min(all.readUInt32LE(16), logged)
      return {
        calls: Array.from({ length: seen }, (_, index) => textAt(all, index + 1)),
        failed: all.readUInt32LE(20) === 1 ? textAt(all, 0) : undefined,
      }
    },
    close: () => closeSync(descriptor),
  }
}
