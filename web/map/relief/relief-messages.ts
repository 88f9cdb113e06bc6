// The messages between the page and the relief worker.

/** The metadata of a terrain archive. */
export interface ReliefFacts {
  readonly minZoom: number
  readonly maxZoom: number
  readonly tileSize: number
  /** West, south, east, north. */
  readonly bounds: readonly [number, number, number, number]
  readonly attribution: string
}

interface TilePlace {
  readonly address: string
  readonly z: number
  readonly x: number
  readonly y: number
}

export type ReliefQuestion =
  | { readonly ask: 'facts'; readonly address: string }
  | ({ readonly ask: 'heights' } & TilePlace)
  | ({
      readonly ask: 'contours'
      /** The intervals of all lines and of index contours, in units of `perMetre`. */
      readonly steps: readonly [number, number]
      readonly perMetre: number
      /** The property of a line that holds its height. */
      readonly heightProperty: string
    } & TilePlace)

export type ReliefAsked =
  | { readonly id: number; readonly question: ReliefQuestion }
  /** No longer needed. */
  | { readonly id: number; readonly isGivenUp: true }

export type ReliefAnswer =
  | { readonly id: number; readonly facts: ReliefFacts }
  /** Undefined if the archive has no such tile. */
  | { readonly id: number; readonly bytes: ArrayBuffer | undefined }
  | { readonly id: number; readonly failure: string }
