// The other end of jumping-clock.c: sets the wall clock of running servers.
import { closeSync, openSync, writeSync } from 'node:fs'
import path from 'node:path'
import { compilePreload } from './preload.ts'

export interface JumpingClock {
  /** Go among the settings of a server. */
  readonly settings: Readonly<Record<string, string>>
  /** From now on servers with these settings are so far ahead of the machine, running or started later. */
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
