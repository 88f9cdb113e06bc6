// The servers that are wrong on purpose, by name: a suite that lets one pass is worth nothing.
import path from 'node:path'

const programOf = (file: string): readonly string[] => [path.join(import.meta.dirname, file)]

/** Arguments of node. */
export const ackEarly = programOf('serve-ack-early.ts')
export const noFsync = programOf('serve-no-fsync.ts')
export const clockIds = programOf('serve-clock-ids.ts')
export const deaf = programOf('serve-deaf.ts')

/** By the names that the scripts take. */
export const variants: Readonly<Record<string, readonly string[] | undefined>> = {
  'ack-early': ackEarly,
  'no-fsync': noFsync,
  'clock-ids': clockIds,
  deaf,
}
