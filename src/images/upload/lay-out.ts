// How an upload is laid out in the store: which blobs it becomes, and which rows name them.
import { giveBack } from '../../http/bodies/give-back.ts'
import type { Examined } from '../../imaging/renditions.ts'
import type { StagedBlob } from '../../storage/port.ts'
import { originalKey, renditionKey } from '../storage/blob-keys.ts'
import type { NamedBytes } from '../storage/named-bytes.ts'
import { removedFrom } from '../storage/originals.ts'
import type { StoredRendition } from '../storage/rendition-table.ts'
import { joined, rowsOf } from '../view/rendition-store.ts'

const withRows = (files: readonly NamedBytes[]) => ({ files, rows: rowsOf(files) })

/** How an upload lies in the store. */
export interface Stored {
  /** What gets a row: its sizes, and what size lg lacks of it, where it is not kept as it came. */
  readonly files: readonly NamedBytes[]
  readonly rows: readonly StoredRendition[]
  /** Of the blobs without which it would be lost. */
  readonly keys: readonly string[]
  /** `whole` where it cannot be rebuilt, `stored` where it is too early for that. */
  readonly original: 'rebuilt' | 'whole' | 'stored'
}

/** Nearly always the original can be rebuilt: then it is not stored a second time. */
export function createLayOut(isStoredOnce: () => Promise<boolean>) {
  return async (staged: StagedBlob, examined: Examined, hasSmall: boolean): Promise<Stored> => {
    const { sha256 } = staged
    // What is there stays: its row may tell of more than these, such as WebP.
    const made = joined(examined.renditions).filter(({ name }) => !hasSmall || name === 'lg')
    const large = (await isStoredOnce()) ? made.find(({ name }) => name === 'lg') : undefined
    if (large === undefined) return { ...withRows(made), keys: [originalKey(sha256)], original: 'stored' }
    const upload = Buffer.allocUnsafeSlow(staged.bytes)
    await staged.readInto(upload, 0)
    const removed = removedFrom(sha256, upload, large)
    giveBack(upload)
    if (!removed) return { ...withRows(made), keys: [originalKey(sha256)], original: 'whole' }
    const keys = [removed.name, large.name].map((name) => renditionKey(sha256, name))
    return { ...withRows([removed, ...made]), keys, original: 'rebuilt' }
  }
}
