// Restores a backup into an empty installation; only the last step makes it usable.
import { createHash } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { nameOfPlace } from '../../settings/blob-settings.ts'
import { readSecretFile } from '../../auth/secret.ts'
import type { Blobs } from '../../storage/port.ts'
import type { Config } from '../../settings/config.ts'
import { fileOf } from '../../settings/database-settings.ts'
import type { Database } from '../../database/database.ts'
import { openDatabase } from '../../database/open-database.ts'
import { migrate } from '../../database/migrate.ts'
import {
  countOriginals,
  countStored,
  isReferenced,
  listImagesShowing,
} from '../../images/storage/content-table.ts'
import type { Progress } from './backup.ts'
import { failBackup, namingFile } from './failures.ts'
import { backupNames, readManifest, type Manifest } from './manifest.ts'
import { createDatabasePlace, createFilePlace } from './restore-place.ts'
import { restoreBlobs, type RestoredBlobs } from './restore-blobs.ts'
import { fitSecret, placeSecret, requireOwnSecret, type SecretState } from './secret-file.ts'
import { openZip, type Zip, type ZipEntry } from './zip-reader.ts'

/** Its maximum: with a million lost originals it has 70 MB, and without any 500 bytes. */
const maxManifestBytes = 128 * 1024 * 1024
const maxSecretBytes = 64 * 1024

export interface RestoreDependencies {
  readonly config: Pick<Config, 'databasePlace' | 'dataDir' | 'secretFile' | 'blobPlace'>
  /** The open target of the rows, for an engine without its own file. */
  readonly database?: Database | undefined
  /** Of the same configuration; nobody else may write to it. */
  readonly blobs: Pick<Blobs, 'put' | 'list' | 'remove' | 'sweepStaged'>
}

export interface RestoreOptions {
  readonly file: string
  /** Restore although the secret that the database needs is neither in the backup nor in SECRET_FILE. */
  readonly withoutSecret?: boolean
  readonly signal: AbortSignal
  readonly onProgress?: (progress: Progress) => void
}

export interface RestoreReport extends RestoredBlobs {
  readonly manifest: Manifest
  readonly secret: SecretState
  /** The newest migration of the database now. */
  readonly schema: string
  /** Originals that were lost before the backup was made. */
  readonly problems: readonly { readonly sha256: string; readonly detail: string }[]
}

async function isEmpty(blobs: Pick<Blobs, 'list'>): Promise<boolean> {
  const { done } = await blobs.list('')[Symbol.asyncIterator]().next()
  return done === true
}

async function readSmall(zip: Zip, entry: ZipEntry, maxBytes: number): Promise<Buffer> {
  if (entry.bytes > maxBytes) throw zip.damaged(`${entry.name} has ${entry.bytes} bytes`)
  return entry.read()
}

const withoutSecretRemedy = ', or pass --without-secret and put it there before the first start.'

const openStaged = (file: string): Promise<Database> => openDatabase({ engine: 'sqlite', file })

export function createRestore({ config, database, blobs }: RestoreDependencies) {
  const { blobPlace, secretFile, databasePlace, dataDir } = config
  const place = database ? createDatabasePlace(database, dataDir) : createFilePlace(fileOf(databasePlace))
  /** The database until all is there. */
  const { staged } = place

  async function requireNoBlobs(): Promise<void> {
    if (await isEmpty(blobs)) return
    throw failBackup(
      'already-there',
      `${nameOfPlace(blobPlace)} already contains photos: move it away, or restore into another DATA_DIR.`,
    )
  }

  /**
   * Writes the database under its preliminary name, so durably that no blob can outlast the mark of the unfinished
   * restore.
   */
  async function stage(zip: Zip, entry: ZipEntry, { database: wanted }: Manifest): Promise<void> {
    await place.removeStaged() // of a restore that was interrupted
    const hash = createHash('sha256')
    const handle = await fs.open(staged, 'wx', 0o600)
    try {
      for await (const chunk of entry.chunks()) {
        hash.update(chunk)
        await namingFile(staged, () => handle.appendFile(chunk))
      }
      await namingFile(staged, () => handle.sync())
    } finally {
      await handle.close()
    }
    await place.begin()
    if (entry.bytes === wanted.bytes && hash.digest('hex') === wanted.sha256) return
    throw zip.damaged(`${entry.name} differs from what was backed up`)
  }

  async function describe({ db }: Database, missing: readonly string[]): Promise<RestoreReport['problems']> {
    const problems: RestoreReport['problems'][number][] = []
    for (const sha256 of missing) {
      const [image] = await listImagesShowing(db, sha256, 1)
      if (image === undefined) continue
      const detail = `The original of image ${image} was lost before the backup was made.`
      problems.push({ sha256, detail })
    }
    return problems
  }

  /**
   * Every blob that the database refers to must have been restored, except those that the backup itself reports as
   * missing.
   */
  async function requireAll({ db }: Database, zip: Zip, manifest: Manifest, restored: number): Promise<void> {
    const originals = await countOriginals(db)
    const { renditions } = await countStored(db)
    let missing = 0
    for (const sha256 of manifest.missing) if (await isReferenced(db, sha256)) missing += 1
    const lacking = originals - missing + renditions - restored
    if (lacking !== 0) throw zip.damaged(`${lacking} of its photos are missing from it`)
  }

  async function fill(
    zip: Zip,
    entries: AsyncGenerator<ZipEntry>,
    { manifest, secret }: { readonly manifest: Manifest; readonly secret: Uint8Array | undefined },
    { signal, onProgress, withoutSecret = false }: RestoreOptions,
  ): Promise<Omit<RestoreReport, 'manifest' | 'secret'>> {
    const database = await openStaged(staged)
    try {
      const { latest: schema } = await migrate(database)
      if (!withoutSecret) await requireOwnSecret(database.db, secret, secretFile, withoutSecretRemedy)
      const { contents: allContents } = await countStored(database.db)
      const onBlob = (contents: number, bytes: number): void => onProgress?.({ contents, allContents, bytes })
      const restored = await restoreBlobs({ db: database.db, blobs, zip, entries, signal, onBlob })
      await requireAll(database, zip, manifest, restored.blobs)
      return { ...restored, schema, problems: await describe(database, manifest.missing) }
    } finally {
      await database.close()
    }
  }

  /** @param wasEmpty only then is all that is there of this restore. */
  async function undo(wasEmpty: boolean): Promise<void> {
    // If an earlier restore was interrupted, the mark stays. If the last step succeeded, everything is there and only
    // the cleanup has failed.
    if (!wasEmpty || !(await place.isUnpublished())) return
    for await (const { key } of blobs.list('')) await blobs.remove(key)
    await place.forget()
  }

  async function next(entries: AsyncGenerator<ZipEntry>, name: string, file: string): Promise<ZipEntry> {
    const { done, value } = await entries.next()
    if (done === true || value.name !== name) {
      throw failBackup('wrong-file', `${file} is not a Waymark backup: ${name} is not where it should be.`)
    }
    return value
  }

  async function restoreFrom(zip: Zip, options: RestoreOptions, wasEmpty: boolean): Promise<RestoreReport> {
    const { file } = options
    const entries = zip.entries()
    const manifestEntry = await next(entries, backupNames.manifest, file)
    const manifest = readManifest(await readSmall(zip, manifestEntry, maxManifestBytes), file)
    const secret = manifest.hasSecret
      ? await readSmall(zip, await next(entries, backupNames.secret, file), maxSecretBytes)
      : undefined
    const secretState = await fitSecret(secretFile, secret)
    const databaseEntry = await next(entries, backupNames.database, file)
    try {
      await stage(zip, databaseEntry, manifest)
      const found = secret ?? (await readSecretFile(secretFile))
      const filled = await fill(zip, entries, { manifest, secret: found }, options)
      if (secret && secretState === 'restored') await placeSecret(secretFile, secret)
      await place.publish(openStaged)
      return { ...filled, manifest, secret: secretState }
    } catch (error) {
      await undo(wasEmpty).catch(() => undefined) // the first failure is the one to tell
      throw error
    }
  }

  return {
    /**
     * Restores everything or, if it rejects, nothing. If the process dies meanwhile, nothing takes the remains for an
     * installation, and another restore overwrites them. The caller holds the lock of a server.
     */
    run: async (options: RestoreOptions): Promise<RestoreReport> => {
      const wasInterrupted = await place.requireFree()
      if (!wasInterrupted) await requireNoBlobs()
      await blobs.sweepStaged(Number.POSITIVE_INFINITY)
      const zip = await openZip(options.file)
      try {
        return await restoreFrom(zip, options, !wasInterrupted)
      } finally {
        zip.close()
        if (database) await place.removeStaged()
      }
    },
  }
}
