// The bytes of photos in an export: size lg as visitors get it, and the private original.
import type { Db } from '../database/database.ts'
import { findSize, listRenditions } from '../images/storage/rendition-table.ts'
import { takeOriginal } from '../images/storage/originals.ts'
import { takeWhole } from '../images/storage/whole-blob.ts'
import { inMemory, renditionVersion, type Renditions } from '../imaging/renditions.ts'
import type { Blobs } from '../storage/port.ts'

interface Wanted {
  readonly sha256: string
  readonly bytes: number
}

/** What is wrong with it, as the end of a sentence. */
export type PhotoBytes = { readonly bytes: Uint8Array } | { readonly fault: string }

export function createPhotoBytes(
  db: Db,
  blobs: Pick<Blobs, 'open'>,
  renditions: Pick<Renditions, 'examine'>,
) {
  const originalOf = async ({ sha256, bytes }: Wanted): Promise<PhotoBytes> =>
    takeOriginal(blobs, { sha256, bytes }, await listRenditions(db, sha256))

  /** As the server would make it for its next view. */
  async function made(wanted: Wanted): Promise<PhotoBytes> {
    const original = await originalOf(wanted)
    if ('fault' in original) return original
    try {
      const { renditions: files } = await renditions.examine(async () => inMemory(original.bytes))
      const large = files.find(({ name }) => name === 'lg')
      return large ? { bytes: large.bytes } : { fault: 'has no full size' }
    } catch (error) {
      return { fault: `cannot be decoded (${error instanceof Error ? error.message : String(error)})` }
    }
  }

  return {
    original: originalOf,

    /** Never one that was made by older rules, which may hold what the present ones remove. */
    large: async (wanted: Wanted): Promise<PhotoBytes> => {
      const { sha256 } = wanted
      const found = await findSize(db, sha256, ['lg'])
      if (found === undefined || found.version < renditionVersion) return made(wanted)
      const taken = await takeWhole(blobs, found)
      return 'bytes' in taken ? taken : made(wanted)
    },
  }
}

export type PhotoBytesReader = ReturnType<typeof createPhotoBytes>
