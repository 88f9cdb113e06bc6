// When backups are made and where they are stored: BACKUP_SCHEDULE, BACKUP_TO and BACKUP_KEEP.
import path from 'node:path'
import { Cron } from 'croner'
import { blobPlace, nameOfPlace, type BlobPlace } from './blob-settings.ts'
import { setting, wholeNumber } from './setting-kinds.ts'

/** Cron's five fields; what libraries add (seconds, years) would not be read alike elsewhere. */
const cronOf = (expression: string, timezone: string): Cron =>
  new Cron(expression, { mode: '5-part', timezone })

/**
 * The first time after this one at which a backup is due. A time that a clock change skips counts as the one right
 * after it, and one that occurs twice counts once.
 */
export function nextBackupAfter(expression: string, timeZone: string, at: number): number {
  return cronOf(expression, timeZone).nextRun(new Date(at))?.getTime() ?? Number.POSITIVE_INFINITY
}

/** @throws RangeError which finishes the sentence "BACKUP_SCHEDULE must …". */
function backupSchedule(value: string): string | undefined {
  if (value === 'off') return undefined
  // The library reads a date, too: a schedule of one backup and then none, which would never be late.
  const fields = value.trim().split(/\s+/)
  const isSchedule = fields.length === 5 || value.startsWith('@')
  try {
    if (isSchedule && cronOf(value, 'UTC').nextRun() !== null) return value
  } catch {
    // Says below what is right; the library says what is wrong of its own forms, which are more.
  }
  throw new RangeError('must be off, or a cron expression of five fields such as "15 3 * * *"')
}

function backupPlace(value: string): BlobPlace | undefined {
  if (value === '') return undefined
  if (value.startsWith('s3:')) return blobPlace(value)
  const folder = value.replace(/^file:/, '')
  if (path.isAbsolute(folder)) return { store: 'files', folder: path.resolve(folder) }
  throw new RangeError(
    'must be the absolute path of a folder, or s3://<bucket>/<prefix>?endpoint=<url>&region=<name>&path-style=<true or false>',
  )
}

export const backupSettings = {
  backupSchedule: setting(
    'BACKUP_SCHEDULE',
    'off',
    'When the server makes backups, in SITE_TIME_ZONE: a cron expression of five fields, such as 15 3 * * * for every night at 03:15, or off. Requires BACKUP_TO (see backup.md).',
    backupSchedule,
  ),
  backupPlace: setting(
    'BACKUP_TO',
    '',
    'Where scheduled backups are written: an existing folder (absolute path), or s3://<bucket>/<prefix>?… as in BLOB_URL.',
    backupPlace,
  ),
  backupKeep: setting(
    'BACKUP_KEEP',
    '14',
    'Number of scheduled backups kept. Older ones are deleted after a successful backup; other files are never deleted.',
    wholeNumber(1, 10_000),
  ),
}

interface BackupConfig {
  readonly backupSchedule: string | undefined
  readonly backupPlace: BlobPlace | undefined
  readonly blobPlace: BlobPlace
  readonly dataDir: string
}

/** Whether `inner` is `outer` or lies in it. */
function liesIn(inner: BlobPlace, outer: BlobPlace): boolean {
  if (inner.store === 'files' && outer.store === 'files') {
    const way = path.relative(outer.folder, inner.folder)
    return way === '' || (!way.startsWith('..') && !path.isAbsolute(way))
  }
  if (inner.store !== 's3' || outer.store !== 's3') return false
  const isSameBucket = inner.bucket === outer.bucket && inner.endpoint === outer.endpoint
  return isSameBucket && (outer.prefix === '' || `${inner.prefix}/`.startsWith(`${outer.prefix}/`))
}

/** @throws RangeError of one sentence for contradictions between settings. */
export function requireBackupPlace({
  backupSchedule: schedule,
  backupPlace: to,
  blobPlace: photos,
  dataDir,
}: BackupConfig): void {
  if (schedule !== undefined && to === undefined) throw new RangeError('BACKUP_SCHEDULE requires BACKUP_TO.')
  if (to !== undefined && liesIn(to, photos))
    throw new RangeError(`BACKUP_TO must not be inside BLOB_URL, ${nameOfPlace(photos)}.`)
  const scratch = path.join(dataDir, 'drill')
  if (to !== undefined && liesIn(to, { store: 'files', folder: scratch }))
    throw new RangeError(`BACKUP_TO must not be inside ${scratch}, which "waymark drill" deletes.`)
}
