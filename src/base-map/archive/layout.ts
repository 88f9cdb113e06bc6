// The parts before the tiles of an archive: header, root directory, metadata and leaves.
import { writeDirectory, type Columns } from './directory.ts'
import type { Entries } from './entries.ts'
import { firstBytes, headerBytes, type Section } from './header.ts'

const minLeafEntries = 4_096

interface Directories {
  readonly root: Buffer
  readonly leaves: readonly Buffer[]
}

async function leavesOf(entries: Entries, leafEntries: number): Promise<Directories> {
  const leaves: Buffer[] = []
  const columns = {
    ids: [] as number[],
    runs: [] as number[],
    lengths: [] as number[],
    offsets: [] as number[],
  }
  let offset = 0
  for (let from = 0; from < entries.count; from += leafEntries) {
    const leaf = await writeDirectory(entries, from, Math.min(entries.count, from + leafEntries))
    columns.ids.push(entries.ids[from] ?? 0)
    columns.runs.push(0)
    columns.lengths.push(leaf.length)
    columns.offsets.push(offset)
    offset += leaf.length
    leaves.push(leaf)
  }
  const root: Columns = columns
  return { root: await writeDirectory(root, 0, leaves.length), leaves }
}

/** The root must fit into the first bytes of the file: a few entries are stored in it directly, many in leaves. */
async function directoriesOf(entries: Entries): Promise<Directories> {
  const maxRootBytes = firstBytes - headerBytes
  if (entries.count <= maxRootBytes) {
    const root = await writeDirectory(entries, 0, entries.count)
    if (root.length <= maxRootBytes) return { root, leaves: [] }
  }
  for (let leafEntries = minLeafEntries; ; leafEntries = Math.ceil(leafEntries * 1.5)) {
    const directories = await leavesOf(entries, leafEntries)
    if (directories.root.length <= maxRootBytes) return directories
  }
}

export interface Layout {
  readonly root: Section
  readonly metadata: Section
  readonly leaves: Section
  /** Offset of the tile data. */
  readonly tilesAt: number
  /** Everything between the header and the tiles. */
  readonly parts: readonly Buffer[]
}

export async function layOut(entries: Entries, metadata: Buffer): Promise<Layout> {
  const { root, leaves } = await directoriesOf(entries)
  const leafBytes = leaves.reduce((sum, { length }) => sum + length, 0)
  const metadataAt = headerBytes + root.length
  const leavesAt = metadataAt + metadata.length
  return {
    root: { offset: headerBytes, bytes: root.length },
    metadata: { offset: metadataAt, bytes: metadata.length },
    leaves: { offset: leavesAt, bytes: leafBytes },
    tilesAt: leavesAt + leafBytes,
    parts: [root, metadata, ...leaves],
  }
}
