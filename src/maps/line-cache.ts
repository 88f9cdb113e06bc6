// Keeps lines as tiles of a zoom need them, since the tiles of a map are asked for together and show the same lines.
import type { Line } from '../contract/points.ts'
import { createPauses } from './pauses.ts'
import { worldLines, type WorldLine } from './world.ts'

const mostBytes = 32 * 1024 ** 2
/** Of an entry beside its numbers. */
const entryBytes = 512

/** A line that a map shows. */
export interface MapLine {
  readonly id: number
  /** Another for every other line, and for the same line once it has changed. */
  readonly key: string
  readonly pointCount: number
  readonly properties: Readonly<Record<string, string | number>>
  /** Undefined where it may not be shown any more. */
  readonly read: () => Promise<readonly Line[] | undefined>
}

interface Entry {
  readonly lines: Promise<readonly WorldLine[] | undefined>
  bytes: number
}

export function createLineCache() {
  /** The one used last is last. */
  const entries = new Map<string, Entry>()
  let bytes = 0

  function forget(key: string, entry: Entry): void {
    if (entries.get(key) !== entry) return
    entries.delete(key)
    bytes -= entry.bytes
  }

  function makeRoom(): void {
    for (const [key, entry] of entries) {
      if (bytes <= mostBytes) return
      forget(key, entry)
    }
  }

  async function make({ read }: MapLine, zoom: number): Promise<readonly WorldLine[] | undefined> {
    const lines = await read()
    return lines && createPauses().through(worldLines(lines, zoom))
  }

  function start(line: MapLine, zoom: number, key: string): Entry {
    const entry: Entry = { lines: make(line, zoom), bytes: entryBytes }
    bytes += entry.bytes
    entries.set(key, entry)
    const account = async (): Promise<void> => {
      const lines = await entry.lines.catch(() => undefined) // whoever asked is told
      if (lines === undefined) forget(key, entry)
      if (lines === undefined || entries.get(key) !== entry) return
      const more = lines.reduce((sum, { places }) => sum + places.byteLength, 0)
      entry.bytes += more
      bytes += more
      makeRoom()
    }
    void account()
    return entry
  }

  return {
    /** The line as far as tiles of the zoom show it. Whoever asks meanwhile waits for the same. */
    find: (line: MapLine, zoom: number): Promise<readonly WorldLine[] | undefined> => {
      const key = `${line.key}:${zoom}`
      const known = entries.get(key)
      if (known === undefined) return start(line, zoom, key).lines
      entries.delete(key)
      entries.set(key, known)
      return known.lines
    },
  }
}

export type LineCache = ReturnType<typeof createLineCache>
