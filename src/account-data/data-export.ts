// Exports everything of an account as a zip that is written while it is read: memory use does not grow with the photos.
import type { Blobs, OpenBlob } from '../storage/port.ts'
import type { Db } from '../database/database.ts'
import { originalKey } from '../images/storage/blob-keys.ts'
import { listRenditions } from '../images/storage/rendition-table.ts'
import { openOriginal } from '../images/storage/originals.ts'
import { createDirectoryInMemory } from '../storage/zip/directory-in-memory.ts'
import {
  createZipWriter,
  measureChunks,
  type Chunks,
  type Sink,
  type ZipWriter,
} from '../storage/zip/zip-writer.ts'
import {
  accountJson,
  gpxName,
  imagesJson,
  inBytes,
  inOrder,
  pagesOf,
  photoName,
  readme,
  routesJson,
} from './data-export-documents.ts'
import {
  findPersonRow,
  findTakenGpx,
  listImageIds,
  listRouteIds,
  listTakenImages,
  type TakenImage,
} from './data-export-table.ts'

export interface DataExportDependencies {
  readonly db: Db
  readonly blobs: Pick<Blobs, 'open'>
  readonly now: () => number
  /** A GPX in UTF-8, from its stored bytes. @throws if they are damaged. */
  readonly unpackGpx: (stored: Uint8Array) => Promise<Uint8Array>
}

export interface DataExportOptions {
  readonly sink: Sink
  readonly signal: AbortSignal
}

export interface DataExportReport {
  readonly photos: number
  readonly routes: number
  /** Files that could not be read; listed in MISSING.txt. */
  readonly missing: number
  /** Length of the zip. */
  readonly bytes: number
}

const pieceBytes = 256 * 1024

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const wholeOf = ({ bytes, stream }: OpenBlob): Chunks => stream(0, bytes - 1) as Chunks

/** Rows per step, so that each step is short. */
async function* piecesOf(bytes: Uint8Array): Chunks {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

/** One export in progress. */
interface Work {
  readonly accountId: number
  readonly zip: ZipWriter
  readonly signal: AbortSignal
  /** Lines of MISSING.txt. */
  readonly missing: string[]
}

export function createDataExport({ db, blobs, now, unpackGpx }: DataExportDependencies) {
  /**
   * A damaged original is streamed as it is: read twice, since a zip has the checksum first. Both handles are opened
   * before that: if the photo is deleted meanwhile, its name is gone, but not its bytes.
   * @returns what is wrong with it.
   */
  async function addDamaged({ zip }: Work, image: TakenImage, fault: string): Promise<string> {
    const first = await blobs.open(originalKey(image.sha256))
    const second = first && first.bytes > 0 ? await blobs.open(originalKey(image.sha256)) : undefined
    if (!first || !second) {
      await first?.close()
      return fault === 'is missing' ? 'the original is not in the store' : `the original ${fault}`
    }
    let isRead = false
    try {
      const measured = await measureChunks(wholeOf(first)).catch((error: unknown) => messageOf(error))
      if (typeof measured === 'string') return `the original cannot be read (${measured})`
      isRead = true
      await zip.addMeasured(photoName(image), measured, wholeOf(second))
      return 'the original is damaged and was exported as it is'
    } finally {
      if (!isRead) await second.close()
    }
  }

  /** A zip has the checksum first. The photo in memory is released here, since the client may read slowly. */
  async function openMeasured(image: TakenImage) {
    const opened = await openOriginal(blobs, image, await listRenditions(db, image.sha256))
    if ('fault' in opened) return opened
    const measured = await measureChunks(piecesOf(opened.whole))
    const { stream, close } = opened
    return { measured, stream, close }
  }

  /** @returns what is wrong with it; undefined if it is intact. */
  async function addOriginal(work: Work, image: TakenImage): Promise<string | undefined> {
    const found = await openMeasured(image)
    if ('fault' in found) return addDamaged(work, image, found.fault)
    const original = found
    let isBegun = false
    async function* read(): Chunks {
      isBegun = true
      yield* original.stream()
    }
    try {
      await work.zip.addMeasured(photoName(image), original.measured, read())
      return undefined
    } finally {
      if (!isBegun) await original.close()
    }
  }

  async function addPhotos(work: Work, ids: readonly number[]): Promise<number> {
    let photos = 0
    for await (const page of pagesOf(ids)) {
      for (const image of inOrder(page, await listTakenImages(db, work.accountId, page))) {
        work.signal.throwIfAborted()
        const fault = await addOriginal(work, image)
        if (fault === undefined) photos += 1
        else work.missing.push(`${photoName(image)}: ${fault}.`)
      }
    }
    return photos
  }

  async function addRoutes(work: Work, ids: readonly number[]): Promise<number> {
    let routes = 0
    for await (const page of pagesOf(ids)) {
      for (const id of page) {
        work.signal.throwIfAborted()
        const stored = await findTakenGpx(db, work.accountId, id)
        if (!stored) continue // just deleted
        const gpx = await unpackGpx(stored).catch(() => undefined)
        if (gpx) await work.zip.addChunks(gpxName(id), [gpx])
        else work.missing.push(`${gpxName(id)}: the stored data is damaged.`)
        if (gpx) routes += 1
      }
    }
    return routes
  }

  return {
    /** Does the account exist? */
    isThere: async (accountId: number): Promise<boolean> =>
      (await findPersonRow(db, accountId)) !== undefined,

    /**
     * Each part is read when it is written, so it may be newer than the one before.
     * @throws refusal `invalid-account-id`; the reason of the signal; and errors of the sink.
     */
    write: async (accountId: number, { sink, signal }: DataExportOptions): Promise<DataExportReport> => {
      const madeAt = now()
      const guarded: Sink = (bytes) => {
        signal.throwIfAborted()
        return sink(bytes)
      }
      const zip = createZipWriter({ sink: guarded, directory: createDirectoryInMemory(), madeAt })
      const work: Work = { accountId, zip, signal, missing: [] }
      const imageIds = await listImageIds(db, accountId)
      const routeIds = await listRouteIds(db, accountId)
      await zip.add('README.txt', Buffer.from(readme(madeAt, accountId)))
      await zip.addChunks('account.json', inBytes(accountJson(db, accountId, madeAt)))
      await zip.addChunks('images.json', inBytes(imagesJson(db, accountId, imageIds)))
      await zip.addChunks('routes.json', inBytes(routesJson(db, accountId, routeIds)))
      const routes = await addRoutes(work, routeIds)
      const photos = await addPhotos(work, imageIds)
      const { missing } = work
      if (missing.length > 0) await zip.add('MISSING.txt', Buffer.from(`${missing.join('\n')}\n`))
      return { photos, routes, missing: missing.length, bytes: await zip.end() }
    },
  }
}

export type DataExport = ReturnType<typeof createDataExport>

/** The file name. */
export const dataExportName = (accountId: number, at: number): string =>
  `waymark-${accountId}-${new Date(at).toISOString().slice(0, 10)}.zip`
