// Backs up a whole installation into one zip, while a server runs or not: first the database, then the blobs it refers to.
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { readSecretFile } from '../../auth/secret.ts'
import type { Blobs } from '../../storage/port.ts'
import type { Config } from '../../settings/config.ts'
import type { Database } from '../../database/database.ts'
import { endDeparture } from '../../database/departure.ts'
import { openDatabase } from '../../database/open-database.ts'
import { takeFileLock } from '../../database/sqlite/file-lock.ts'
import { schemaOf } from '../../database/migrate.ts'
import { countStored, forgetUnshownContent, isReferenced } from '../../images/storage/content-table.ts'
import { namesOfImages } from '../../images/storage/integrity.ts'
import { copyBlobs, type Before, type Copied, type Lost } from './copy-blobs.ts'
import { failBackup } from './failures.ts'
import { backupFormat, backupNames, writeManifest, type Manifest } from './manifest.ts'
import { describeSecret, requireOwnSecret } from './secret-file.ts'
import { createZipWriter, type Sink, type ZipWriter } from '../../storage/zip/zip-writer.ts'

/** So often the database is copied anew where images were deleted for good while their originals were being copied. */
const maxRounds = 3

const secretRemedy = ', or pass --without-secret.'

export interface BackupDependencies {
  readonly config: Pick<Config, 'databasePlace' | 'dataDir' | 'secretFile'>
  readonly database: Database
  readonly blobs: Pick<Blobs, 'open'>
  readonly now: () => number
  /** Version of this Waymark. */
  readonly version: string
}

export interface Progress {
  readonly contents: number
  readonly allContents: number
  readonly bytes: number
}

export interface BackupOptions {
  readonly sink: Sink
  readonly withSecret: boolean
  readonly signal: AbortSignal
  readonly onProgress?: (progress: Progress) => void
  /** Called between two photos, for a backup that lets others go first. */
  readonly rest?: () => Promise<void>
}

export interface BackupReport {
  readonly manifest: Manifest
  /** Length of the backup. */
  readonly bytes: number
  readonly forgottenRenditions: number
  /** Originals that are not in it. */
  readonly problems: readonly { readonly sha256: string; readonly detail: string }[]
}

interface Snapshot extends Database {
  readonly file: string
}

/** What is in the backup once all blobs are. */
interface Settled extends Copied {
  readonly snapshot: Snapshot
}

async function describe({ snapshot, lost }: Settled): Promise<BackupReport['problems']> {
  const problems: BackupReport['problems'][number][] = []
  for (const { content, fault } of lost) {
    const detail = `The original of ${await namesOfImages(snapshot.db, content)} ${fault}: it is not in the backup.`
    problems.push({ sha256: content.sha256, detail })
  }
  return problems
}

async function addFile(zip: ZipWriter, name: string, file: string, rest: BackupOptions['rest']) {
  const handle = await fs.open(file, 'r')
  try {
    return await zip.addFile(name, handle, 'ahead', rest)
  } finally {
    await handle.close()
  }
}

export function createBackup({ config, database, blobs, now, version }: BackupDependencies) {
  /** Beside the database, on a disk that SQLite works on; a backup is often written to one where it does not. */
  const { databasePlace, dataDir } = config
  const beside = databasePlace.engine === 'sqlite' ? databasePlace.file : path.join(dataDir, 'postgres')
  const folder = `${beside}.backup-work`

  async function requireSchema(): Promise<void> {
    if ((await schemaOf(database)) !== undefined) return
    throw failBackup('not-there', `${database.where} does not contain a Waymark database.`)
  }

  async function takeSnapshot(round: number): Promise<Snapshot> {
    const file = path.join(folder, `${round}.sqlite`)
    await database.copyTo(file)
    const snapshot = await openDatabase({ engine: 'sqlite', file: file })
    await endDeparture(snapshot) // of a move under way: nothing that is restored is part of it
    await forgetUnshownContent(snapshot.db) // its blobs are not backed up, and the sweep may be deleting them
    return { ...snapshot, file }
  }

  /** undefined before the first start of a server, which makes it. */
  async function readSecret(): Promise<Buffer | undefined> {
    const content = await readSecretFile(config.secretFile)
    await requireOwnSecret(database.db, content, config.secretFile, secretRemedy)
    return content
  }

  /** Was an image deleted for good after the copy of the database that names it? Its blobs may be gone by then. */
  async function isOutdated(lost: readonly Lost[]): Promise<boolean> {
    for (const { content } of lost) if (!(await isReferenced(database.db, content.sha256))) return true
    return false
  }

  async function copyAll(
    zip: ZipWriter,
    { signal, onProgress, rest }: BackupOptions,
    opened: Snapshot[],
  ): Promise<Settled> {
    let [blobCount, blobBytes, forgotten] = [0, 0, 0]
    let before: Before | undefined
    for (let round = 1; ; round += 1) {
      const snapshot = await takeSnapshot(round)
      opened.push(snapshot)
      const { contents: allContents } = await countStored(snapshot.db)
      let [contents, bytes] = [0, blobBytes]
      const onContent = (more: number): void => {
        contents += 1
        bytes += more
        onProgress?.({ contents, allContents, bytes })
      }
      const copied = await copyBlobs({ db: snapshot.db, blobs, zip, before, signal, rest, onContent })
      blobCount += copied.blobs
      blobBytes += copied.blobBytes
      forgotten += copied.forgotten
      const { lost } = copied
      if (round === maxRounds || !(await isOutdated(lost))) {
        return { snapshot, lost, blobs: blobCount, blobBytes, forgotten }
      }
      before = { db: snapshot.db, lost: new Set(lost.map(({ content }) => content.sha256)) }
    }
  }

  async function write(
    options: BackupOptions,
    directory: fs.FileHandle,
    opened: Snapshot[],
  ): Promise<BackupReport> {
    const madeAt = now()
    const zip = createZipWriter({ sink: options.sink, directory, madeAt })
    const secret = options.withSecret ? await readSecret() : undefined
    const settled = await copyAll(zip, options, opened)
    const { snapshot } = settled
    const problems = await describe(settled)
    const { images, contents } = await countStored(snapshot.db)
    // Once more: a server may have been started, and may have changed its secret, since the secret was read.
    if (options.withSecret) await requireOwnSecret(snapshot.db, secret, config.secretFile, secretRemedy)
    const ofSecret = await describeSecret(snapshot.db, secret, config.secretFile)
    const schema = (await schemaOf(snapshot)) ?? ''
    await snapshot.close() // from now on the file is all there is of it
    const stored = await addFile(zip, backupNames.database, snapshot.file, options.rest)
    if (secret) await zip.add(backupNames.secret, secret, 'ahead')
    const manifest: Manifest = {
      format: backupFormat,
      waymark: version,
      createdAt: new Date(madeAt).toISOString(),
      engine: 'sqlite', // whatever it was made of, the copy in it is a SQLite file
      schema,
      images,
      contents,
      blobs: settled.blobs,
      blobBytes: settled.blobBytes,
      database: stored,
      ...ofSecret,
      missing: settled.lost.map(({ content }) => content.sha256),
    }
    await zip.add(backupNames.manifest, writeManifest(manifest), 'ahead')
    return { manifest, bytes: await zip.end(), forgottenRenditions: settled.forgotten, problems }
  }

  async function inFolder<T>(work: (directory: fs.FileHandle) => Promise<T>): Promise<T> {
    await fs.rm(folder, { recursive: true, force: true }) // of a backup that was killed
    await fs.mkdir(folder, { mode: 0o700 })
    const directory = await fs.open(path.join(folder, 'directory'), 'wx+', 0o600)
    try {
      return await work(directory)
    } finally {
      await directory.close()
      await fs.rm(folder, { recursive: true, force: true })
    }
  }

  return {
    /**
     * Writes a backup of the installation as it is now. What was acknowledged before the call is in it; what comes
     * while it runs may be. Nothing of what the sink got counts where it rejects.
     */
    run: async (options: BackupOptions): Promise<BackupReport> => {
      await requireSchema()
      const lock = takeFileLock(`${beside}.backup-lock`)
      if (!lock) throw failBackup('backup-running', 'Another backup of this installation is running.')
      try {
        return await inFolder(async (directory) => {
          const opened: Snapshot[] = []
          try {
            return await write(options, directory, opened)
          } finally {
            for (const snapshot of opened) await snapshot.close()
          }
        })
      } finally {
        lock.release()
      }
    },
  }
}
