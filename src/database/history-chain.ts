// The hash chain of the image history: each row's digest covers the row and the digest before it.
import { createHash } from 'node:crypto'
import type { ImageHistoryTable } from './schema.ts'

/** The digest before the first row. */
export const chainStart = ''

/** SHA-256, hex. Never change it: the digests of every installation are made so. */
export function chainDigest(before: string, row: Omit<ImageHistoryTable, 'digest'>): string {
  const { position, image_id, at, actor_id, from_state, to_state, reason, note } = row
  const fields = [before, position, image_id, at, actor_id, from_state, to_state, reason, note]
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex')
}
