// The faulty servers by name. A suite must detect each of them.
import path from 'node:path'

const programOf = (file: string): readonly string[] => [path.join(import.meta.dirname, file)]

/** Node arguments. */
export const ackEarly = programOf('serve-ack-early.ts')
export const noFsync = programOf('serve-no-fsync.ts')
export const clockIds = programOf('serve-clock-ids.ts')
export const deaf = programOf('serve-deaf.ts')

/** By the names used in the scripts. */
export const variants: Readonly<Record<string, readonly string[] | undefined>> = {
  'ack-early': ackEarly,
  'no-fsync': noFsync,
  'clock-ids': clockIds,
  deaf,
}
