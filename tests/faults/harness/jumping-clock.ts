// Controls jumping-clock.c: sets the wall clock of running servers.
import { closeSync, openSync, writeSync } from 'node:fs'
import path from 'node:path'
import { compilePreload } from './preload.ts'

export interface JumpingClock {
  /** Add to the settings of a server. */
  readonly settings: Readonly<Record<string, string>>
  /** Sets how far ahead of the machine these servers are, including those started later. */
  set(aheadSeconds: number): void
  close(): void
}

export const day = 86_400
export const year = 365 * day

export function createJumpingClock(folder: string): JumpingClock {
  const file = path.join(folder, 'clock-control')
  const descriptor = openSync(file, 'w+', 0o600)
  const set = (aheadSeconds: number): void => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64LE(BigInt(aheadSeconds))
    writeSync(descriptor, bytes, 0, 8, 0)
  }
  set(0)
  return {
    settings: { LD_PRELOAD: compilePreload('jumping-clock.c'), CLOCK_CONTROL: file },
    set,
    close: () => closeSync(descriptor),
  }
}
