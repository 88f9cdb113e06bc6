// Exports a site in open formats, as a zip that is written in one pass: rows from a copy of the database at one moment, then
// the files that they name.
import * as fs from 'node:fs/promises'
import path from 'node:path'
import type { TakenAtSetting } from '../auth/guard.ts'
import type { Database, Db } from '../database/database.ts'
import { endDeparture } from '../database/departure.ts'
import { schemaOf } from '../database/migrate.ts'
import { openDatabase } from '../database/open-database.ts'
import { switchReadOnlyOff } from '../database/read-only.ts'
import { takeFileLock } from '../database/sqlite/file-lock.ts'
import type { Renditions } from '../imaging/renditions.ts'
import type { Config } from '../settings/config.ts'
import { uploadFormatOf, uploadFormats } from '../shared/formats/converted-formats.ts'
import type { Blobs } from '../storage/port.ts'
import { createZipWriter, type Sink } from '../storage/zip/zip-writer.ts'
import { writeTimestamp } from '../shared/v2/timestamps.ts'
import { exportChunks } from '../trails/trail-exports.ts'
import { createExportWriter, type ExportWriter } from './export-writer.ts'
import { originalName, photoName } from './image-rows.ts'
import { createPhotoBytes, type PhotoBytesReader } from './photo-bytes.ts'
import { readme, type Scope } from './readme.ts'
import { createRouteFiles, type RouteReader } from './route-files.ts'
import { addImageRows, addPrivateRows, routeColumns, routeLine } from './rows.ts'
import { countImages, everyImage, everyRoute, type ExportedImage } from './site-export-table.ts'

/** Grows when a reader of an older export could misunderstand a newer one. */
const formatVersion = 1

export interface SiteExportDependencies {
  readonly config: Pick<Config, 'databasePlace' | 'dataDir' | 'publicUrl'> & {
    readonly takenAt: TakenAtSetting
  }
  readonly database: Database
  readonly blobs: Pick<Blobs, 'open'>
  readonly renditions: Pick<Renditions, 'examine'>
  readonly now: () => number
  /** Version of this Waymark. */
  readonly version: string
}

export interface SiteExportOptions {
  readonly scope: Scope
  readonly sink: Sink
  readonly signal: AbortSignal
  readonly onProgress?: (done: { contents: number; allContents: number; bytes: number }) => void
  /** So many rows in one document. */
  readonly rowsPerFile?: number
}

export interface SiteExportReport {
  readonly counts: Readonly<Record<string, number>>
  /** Files that could not be read; MISSING.txt names them. */
  readonly missing: number
  /** Length of the zip. */
  readonly bytes: number
  readonly createdAt: string
}

/** One export under way. */
interface Work extends SiteExportOptions {
  readonly db: Db
  readonly writer: ExportWriter
  readonly isPublic: boolean
  readonly counts: Record<string, number>
  /** Lines of MISSING.txt. */
  readonly missing: string[]
}

const extensionOf = (bytes: Uint8Array): string => {
  const format = uploadFormatOf(bytes)
  return (format && uploadFormats[format].extensions[0]) ?? 'bin'
}

/** @returns the bytes that were written. */
async function addPhoto(work: Work, photos: PhotoBytesReader, image: ExportedImage): Promise<number> {
  const { writer, isPublic, counts, missing } = work
  let written = 0
  if (image.state === 'approved') {
    const large = await photos.large(image)
    if ('fault' in large) missing.push(`${photoName(image)}: the photo ${large.fault}.`)
    else {
      await writer.addBytes(photoName(image), large.bytes)
      counts['photos'] = (counts['photos'] ?? 0) + 1
      written += large.bytes.length
    }
  }
  if (isPublic) return written
  const original = await photos.original(image)
  if ('fault' in original) missing.push(`originals/${image.id}: the original ${original.fault}.`)
  else {
    await writer.addBytes(originalName(image, extensionOf(original.bytes)), original.bytes)
    counts['originals'] = (counts['originals'] ?? 0) + 1
    written += original.bytes.length
  }
  return written
}

async function addPhotos(work: Work, photos: PhotoBytesReader): Promise<void> {
  const { db, isPublic, signal, counts, onProgress } = work
  counts['photos'] = 0
  if (!isPublic) counts['originals'] = 0
  const allContents = await countImages(db, isPublic)
  let [contents, bytes] = [0, 0]
  for await (const image of everyImage(db, isPublic)) {
    signal.throwIfAborted()
    bytes += await addPhoto(work, photos, image)
    contents += 1
    onProgress?.({ contents, allContents, bytes })
  }
}

/** The files first, so that the table has only routes that could be read. */
async function addRoutes(work: Work, read: RouteReader): Promise<void> {
  const { db, writer, isPublic, signal, counts, missing } = work
  async function* lines(): AsyncGenerator<string, void> {
    for await (const route of everyRoute(db, isPublic)) {
      signal.throwIfAborted()
      const found = await read(route, isPublic)
      if (found && 'summary' in found) yield routeLine(found)
    }
  }
  counts['routes'] = await writer.addRows(
    'routes.csv',
    { head: routeColumns, rowOf: (line: string) => line, tail: '' },
    lines(),
  )
  let files = 0
  for await (const route of everyRoute(db, isPublic)) {
    signal.throwIfAborted()
    const found = await read(route, isPublic)
    if (!found) continue
    if ('fault' in found) {
      missing.push(`routes/${route.id}: ${found.fault}`)
      continue
    }
    if (found.gpx) await writer.addTexts(`routes/${route.id}.gpx`, found.gpx)
    if (found.geoJson) await writer.addTexts(`routes/${route.id}.geojson`, found.geoJson)
    if (found.gpx) files += 1
  }
  counts['gpx'] = files
}

export function createSiteExport(dependencies: SiteExportDependencies) {
  const { config, database, blobs, renditions, now, version } = dependencies
  const { databasePlace, dataDir, publicUrl, takenAt } = config
  /** Beside the database, on a disk that SQLite works on. */
  const beside = databasePlace.engine === 'sqlite' ? databasePlace.file : path.join(dataDir, 'postgres')
  const folder = `${beside}.export-work`

  /** All rows as they are now. It is ours alone, and may be changed. */
  async function takeSnapshot(): Promise<Database> {
    const file = path.join(folder, 'snapshot.sqlite')
    await database.copyTo(file)
    const snapshot = await openDatabase({ engine: 'sqlite', file })
    await endDeparture(snapshot)
    await switchReadOnlyOff(snapshot.db) // what visitors see of a route may have to be derived
    return snapshot
  }

  async function addAll(work: Work, madeAt: number): Promise<void> {
    const { db, writer, isPublic, scope, counts } = work
    await writer.addDocument('README.txt', [readme(scope, publicUrl, madeAt)])
    await writer.addDocument('trails.geojson', exportChunks(db, 'geojson'))
    await writer.addDocument('trails.csv', exportChunks(db, 'csv'))
    const trails = await db
      .selectFrom('trail')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    counts['trails'] = trails.count
    counts['images'] = await addImageRows(writer, db, isPublic, takenAt)
    if (!isPublic) Object.assign(counts, await addPrivateRows(writer, db))
    await addRoutes(work, createRouteFiles(db, publicUrl))
    await addPhotos(work, createPhotoBytes(db, blobs, renditions))
    if (work.missing.length > 0) await writer.addDocument('MISSING.txt', [`${work.missing.join('\n')}\n`])
  }

  async function write(options: SiteExportOptions, snapshot: Database): Promise<SiteExportReport> {
    const madeAt = now()
    await using files = new AsyncDisposableStack()
    const openFile = async (name: string) => {
      const handle = await fs.open(path.join(folder, name), 'wx+', 0o600)
      return files.adopt(handle, (each) => each.close())
    }
    const [directory, sums] = [await openFile('directory'), await openFile('sums')]
    const zip = createZipWriter({ sink: options.sink, directory, madeAt })
    const { rowsPerFile, scope } = options
    const writer = createExportWriter({ zip, sums, ...(rowsPerFile !== undefined && { rowsPerFile }) })
    const counts: Record<string, number> = {}
    const isPublic = scope === 'public'
    const work: Work = { ...options, db: snapshot.db, writer, isPublic, counts, missing: [] }
    await addAll(work, madeAt)
    const { bytes, sha256 } = await zip.addFile('SHA256SUMS', sums)
    const createdAt = writeTimestamp(madeAt)
    const manifest = {
      format: 'waymark-site-export',
      formatVersion,
      scope,
      site: publicUrl,
      createdAt,
      waymark: version,
      schema: (await schemaOf(snapshot)) ?? null,
      counts,
      missing: work.missing.length,
      documents: writer.documents(),
      sums: { name: 'SHA256SUMS', bytes, sha256, files: writer.files() },
    }
    await zip.add('manifest.json', Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`))
    return { counts, missing: work.missing.length, bytes: await zip.end(), createdAt }
  }

  return {
    /** Nothing of what the sink got counts where it rejects. @throws the reason of the signal, and what the sink throws. */
    run: async (options: SiteExportOptions): Promise<SiteExportReport> => {
      const lock = takeFileLock(`${beside}.export-lock`)
      if (!lock)
        throw Object.assign(new Error('Another export of this installation is running.'), {
          failureCode: 'backup-running',
        })
      try {
        await fs.rm(folder, { recursive: true, force: true }) // of an export that was killed
        await fs.mkdir(folder, { mode: 0o700 })
        const snapshot = await takeSnapshot()
        try {
          return await write(options, snapshot)
        } finally {
          await snapshot.close()
        }
      } finally {
        await fs.rm(folder, { recursive: true, force: true })
        lock.release()
      }
    },
  }
}
