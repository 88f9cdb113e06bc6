// WRONG ON PURPOSE: backs up photos before the database, so that uploads in between lack theirs.
import { open, readFile } from 'node:fs/promises'
import path from 'node:path'
import { writeDurably } from '../../../src/operations/backup/backup-file.ts'
import { copyBlobs } from '../../../src/operations/backup/copy-blobs.ts'
import { backupNames, writeManifest } from '../../../src/operations/backup/manifest.ts'
import { createZipWriter } from '../../../src/storage/zip/zip-writer.ts'
import { openDatabase } from '../../../src/database/open-database.ts'
import { countStored } from '../../../src/images/storage/content-table.ts'
import { withInstallation } from '../harness/installation.ts'

/** @param between runs after the photos and before the database. */
export const backUpBlobsFirst = (
  dataDir: string,
  folder: string,
  file: string,
  between: () => Promise<void>,
): Promise<void> =>
  withInstallation(dataDir, async ({ database, blobs }) => {
    const { signal } = new AbortController()
    const copyOfDatabase = async (name: string) => {
      const copy = path.join(folder, name)
      await database.copyTo(copy)
      return copy
    }
    const directory = await open(path.join(folder, 'directory'), 'wx+')
    await writeDurably(file, async (sink) => {
      const zip = createZipWriter({ sink, directory, madeAt: Date.now() })
      const early = await openDatabase({ engine: 'sqlite', file: await copyOfDatabase('early.sqlite') })
      const copied = await copyBlobs({ db: early.db, blobs, zip, signal, onContent: () => undefined })
      await early.close()
      await between()
      const late = await open(await copyOfDatabase('late.sqlite'))
      const stored = await zip.addFile(backupNames.database, late, 'ahead')
      await late.close()
      await zip.add(backupNames.secret, await readFile(path.join(dataDir, 'secret')), 'ahead')
      const { images, contents } = await countStored(database.db)
      const manifest = {
        format: 1,
        waymark: 'wrong',
        createdAt: new Date().toISOString(),
        engine: 'sqlite',
        schema: '',
        images,
        contents,
        blobs: copied.blobs,
        blobBytes: copied.blobBytes,
        database: stored,
        hasSecret: true,
        missing: [],
      }
      await zip.add(backupNames.manifest, writeManifest(manifest), 'ahead')
      await zip.end()
    })
    await directory.close()
  })
