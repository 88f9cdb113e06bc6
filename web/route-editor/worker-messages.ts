// The messages between the page and the worker of the route editor.
import type { LineParcel } from './line-parcel.ts'

export type Asked =
  | { readonly ask: 'read'; readonly file: Blob; readonly maxBytes: number; readonly maxCachedBytes: number }
  | { readonly ask: 'weigh'; readonly lines: readonly LineParcel[] }
  /** For the lines weighed before. */
  | { readonly ask: 'simplify'; readonly toleranceMetres: number }

export interface ReadLine extends LineParcel {
  readonly kind: 'rte' | 'trk'
  readonly group: number
  readonly name: string | undefined
  readonly inSource: number | undefined
}

export interface ReadFile {
  readonly tell: 'read'
  /** Name of the document, or of its first line that has one. */
  readonly name: string
  readonly lines: readonly ReadLine[]
  readonly waypoints: { readonly columns: LineParcel; readonly names: readonly (readonly [number, string])[] }
  /** One sentence each. */
  readonly warnings: readonly string[]
  /** The document as text, if it is short enough to be stored unchanged. */
  readonly text: string | undefined
  /** How many `rte` and `trk` there are, including empty ones. */
  readonly groups: number
  /** Whether any point has more than position, elevation and time. */
  readonly hasPointData: boolean
  readonly bytes: number
}

export interface Simplified {
  readonly tell: 'simplified'
  readonly toleranceMetres: number
  readonly lines: readonly LineParcel[]
}

export interface Weighed {
  readonly tell: 'weighed'
  /** How many points each of the offered tolerances leaves, in order. */
  readonly counts: readonly number[]
}

export type WorkerMessage =
  | { readonly tell: 'progress'; readonly share: number }
  | { readonly tell: 'refused'; readonly detail: string }
  | ReadFile
  | Weighed
  | Simplified
