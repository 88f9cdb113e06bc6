// Bytes with the name that they have in the table rendition, and the hash that tells them.
import { hash } from 'node:crypto'

/** Bytes of a blob. */
export interface Part {
  /** Size and format, such as `sm.jpeg`. */
  readonly name: string
  /** Counted from 0. */
  readonly start: number
  readonly bytes: number
  /** SHA-256, hex. */
  readonly digest: string
}

export interface NamedBytes {
  readonly name: string
  readonly bytes: Uint8Array
  /** SHA-256, hex. */
  readonly digest: string
  /** Of the small sizes in one blob: where each of them is. */
  readonly parts?: readonly Part[]
}

export const digestOf = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex')
