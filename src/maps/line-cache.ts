// Caches lines as tiles of a zoom need them, since the tiles of a map are asked for together and show the same lines.
import type { Line } from '../shared/geo/points.ts'
import { createBoundedCache, entryBytes } from '../shared/bounded-cache.ts'
import { createYielder } from '../shared/yielding.ts'
import { worldLines, type WorldLine } from './world.ts'

/** After this time, making a tile yields to other requests. */
export const tileTurnMs = 6
const maxBytes = 32 * 1024 ** 2

/** A line that a map shows. */
export interface MapLine {
  readonly id: number
  /** Another for every other line, and for the same line once it has changed. */
  readonly key: string
  readonly pointCount: number
  readonly properties: Readonly<Record<string, string | number>>
  /** Undefined if it may no longer be shown. */
  readonly read: () => Promise<readonly Line[] | undefined>
}

interface Entry {
  readonly lines: readonly WorldLine[] | undefined
}

/** A line that may no longer be shown is not cached. */
const sizeOf = ({ lines }: Entry): number =>
  lines === undefined ? 0 : lines.reduce((sum, { places }) => sum + places.byteLength, entryBytes)

export function createLineCache() {
  const cache = createBoundedCache<Entry>({ max: maxBytes, sizeOf })

  async function make({ read }: MapLine, zoom: number): Promise<Entry> {
    const lines = await read()
    return { lines: lines && (await createYielder(tileTurnMs).through(worldLines(lines, zoom))) }
  }

  const keyOf = ({ key }: MapLine, zoom: number): string => `${key}:${zoom}`

  return {
    /** Whether the line need not be read again for this zoom. */
    has: (line: MapLine, zoom: number): boolean => cache.has(keyOf(line, zoom)),

    /** The line as tiles of the zoom show it. Concurrent callers share the work. */
    find: async (line: MapLine, zoom: number): Promise<readonly WorldLine[] | undefined> =>
      (await cache.find(keyOf(line, zoom), () => make(line, zoom))).lines,
  }
}

export type LineCache = ReturnType<typeof createLineCache>
