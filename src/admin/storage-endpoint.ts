// GET /v2/admin/storage: what the installation stores, and how much space is left (contract, Part D).
import type { FastifyInstance } from 'fastify'
import { permit } from '../auth/guard.ts'
import { writeTimestamp } from '../shared/v2/timestamps.ts'
import { StorageReport } from '../shared/v2/admin-schemas.ts'
import type { Db } from '../database/database.ts'
import { v2Operation } from '../http/openapi/openapi.ts'
import { secretly } from '../http/representation.ts'
import { sumImageBytes } from './account-list.ts'

/** Each is cheap for any installation: the metrics read them at every scrape. */
export interface StorageSources {
  readonly imagesByState: () => Promise<StorageReport['images']>
  readonly databaseBytes: () => Promise<{ readonly main: number; readonly wal: number }>
  readonly disks: () => Promise<
    Readonly<Partial<Record<'database' | 'blobs', { readonly freeBytes: number; readonly isLow: boolean }>>>
  >
  /** Photos whose original is stored beside size lg. */
  readonly storedTwice: () => Promise<number>
  /** Photos of older versions whose capture data is still to be read. */
  readonly unreadPhotos: () => Promise<number>
  /** In milliseconds; 0 for none since the start. */
  readonly lastSweepAt: () => number
  readonly lowBytes: number
  /** Undefined if no backups are scheduled. Times in milliseconds. */
  readonly backup:
    | (() => Promise<{
        readonly dueAt: number
        readonly isLate: boolean
        readonly success?: {
          readonly startedAt: number
          readonly endedAt: number
          readonly file: string
          readonly bytes: number
        }
        readonly failure?: { readonly at: number; readonly message: string }
      }>)
    | undefined
}

async function readBackup({ backup }: StorageSources): Promise<StorageReport['backup']> {
  if (backup === undefined) return null
  const { dueAt, isLate, success, failure } = await backup()
  return {
    dueAt: writeTimestamp(dueAt),
    isLate,
    last: success
      ? {
          at: writeTimestamp(success.endedAt),
          seconds: Math.round((success.endedAt - success.startedAt) / 1_000),
          bytes: success.bytes,
          file: success.file,
        }
      : null,
    failure: failure ? { at: writeTimestamp(failure.at), message: failure.message } : null,
  }
}

async function readStorage(db: Db, sources: StorageSources): Promise<StorageReport> {
  const [{ main, wal }, disks, images, originalBytes, storedTwice, unreadPhotos] = await Promise.all([
    sources.databaseBytes(),
    sources.disks(),
    sources.imagesByState(),
    sumImageBytes(db),
    sources.storedTwice(),
    sources.unreadPhotos(),
  ])
  const sweptAt = sources.lastSweepAt()
  return {
    database: { bytes: main, walBytes: wal },
    disks: (['database', 'blobs'] as const).flatMap((name) => {
      const disk = disks[name] // none where it is elsewhere
      return disk ? [{ name, freeBytes: disk.freeBytes, isLow: disk.isLow }] : []
    }),
    lowBytes: sources.lowBytes,
    images,
    originalBytes,
    storedTwice,
    unreadPhotos,
    lastSweepAt: sweptAt === 0 ? null : writeTimestamp(sweptAt),
    backup: await readBackup(sources),
  }
}

export function registerStorageEndpoint(
  app: FastifyInstance,
  { db, sources }: { readonly db: Db; readonly sources: StorageSources },
): void {
  app.get(
    '/v2/admin/storage',
    {
      config: { access: { credential: 'bearer', action: 'view-administration' } },
      schema: v2Operation({
        summary: 'Get storage use and free space',
        description: 'For admins with a browser session. For the server that handles the request.',
        answer: StorageReport,
        refusals: ['forbidden'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'view-administration')
      return secretly(reply).send(await readStorage(db, sources))
    },
  )
}
