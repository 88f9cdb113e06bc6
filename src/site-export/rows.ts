// The documents of an export that are lists of rows, and how each row is written.
import type { TakenAtSetting } from '../auth/guard.ts'
import type { Selectable } from 'kysely'
import type { Db } from '../database/database.ts'
import type { ReportTable } from '../database/review-schema.ts'
import type { ZoneTable } from '../database/route-schema.ts'
import type { AuditTable, ImageHistoryTable, OutboxTable } from '../database/schema.ts'
import { csvLine } from '../shared/text/csv-cells.ts'
import { writeTimestamp } from '../shared/v2/timestamps.ts'
import { geoJsonOf, jsonLines, type ExportWriter, type Format } from './export-writer.ts'
import { imageFeature, imageRow, type ImageRow } from './image-rows.ts'
import type { RouteFiles } from './route-files.ts'
import {
  everyAccount,
  everyAuditEntry,
  everyEvent,
  everyImage,
  everyMove,
  everyReport,
  everyZone,
  type ExportedAccount,
} from './site-export-table.ts'

const timestampOrNull = (at: number | null): string | null => (at === null ? null : writeTimestamp(at))

const imageColumns = [
  'imageID',
  'trailID',
  'trailName',
  'submitterID',
  'displayName',
  'title',
  'caption',
  'status',
  'edited',
  'lat',
  'lon',
  'mimeType',
  'width',
  'height',
  'bytes',
  'sha256',
  'licence',
  'termsVersion',
  'postedAt',
  'updatedAt',
  'milesAlong',
  'takenAtZone',
  'positionSource',
  'altitude',
  'takenOn',
  'takenAt',
  'positionAccuracy',
  'direction',
  'file',
] as const
const privateColumns = ['acceptedTitle', 'acceptedCaption', 'deletedAt'] as const

type Cell = string | number | boolean | null

/** A table whose columns are fields of its rows. */
function csvOf<Row>(
  columns: readonly string[],
  cellsOf: (row: Row) => Readonly<Record<string, Cell>>,
): Format<Row> {
  return {
    head: csvLine(columns),
    rowOf: (row) => {
      const cells = cellsOf(row)
      return csvLine(columns.map((column) => cells[column] ?? null))
    },
    tail: '',
  }
}

async function* mapped<From, To>(rows: AsyncIterable<From>, to: (row: From) => To): AsyncGenerator<To, void> {
  for await (const row of rows) yield to(row)
}

/** @returns how many there are. */
export async function addImageRows(
  writer: ExportWriter,
  db: Db,
  isPublic: boolean,
  takenAt: TakenAtSetting,
): Promise<number> {
  const rows = () => mapped(everyImage(db, isPublic), (image) => imageRow(image, isPublic, takenAt))
  const columns = isPublic ? imageColumns : [...imageColumns, ...privateColumns]
  await writer.addRows('images.geojson', geoJsonOf<ImageRow>(imageFeature), rows())
  return writer.addRows(
    'images.csv',
    csvOf<ImageRow>(columns, (row) => row),
    rows(),
  )
}

const accountCsv = csvOf<ExportedAccount>(
  [
    'acctID',
    'displayName',
    'email',
    'emailVerifiedAt',
    'role',
    'createdAt',
    'suspendedAt',
    'skipsReviewSince',
    'deletedAt',
    'mails',
    'language',
  ],
  ({ id, displayName, email, role, mails, language, ...at }) => ({
    acctID: id,
    displayName,
    email: at.deletedAt === null ? email : null, // that of a tombstone is made up
    emailVerifiedAt: timestampOrNull(at.emailVerifiedAt),
    role,
    createdAt: writeTimestamp(at.createdAt),
    suspendedAt: timestampOrNull(at.suspendedAt),
    skipsReviewSince: timestampOrNull(at.trustedAt),
    deletedAt: timestampOrNull(at.deletedAt),
    mails,
    language,
  }),
)

const zoneDocument = (zone: Selectable<ZoneTable>) => ({
  zoneID: zone.id,
  acctID: zone.account_id,
  name: zone.name,
  lat: zone.lat,
  lon: zone.lon,
  radiusMetres: zone.radius_metres,
  createdAt: writeTimestamp(zone.created_at),
})

const moveDocument = (move: Selectable<ImageHistoryTable>) => ({
  position: move.position,
  imageID: move.image_id,
  at: writeTimestamp(move.at),
  acctID: move.actor_id,
  from: move.from_state,
  to: move.to_state,
  reason: move.reason,
  note: move.note,
  digest: move.digest,
})

const eventDocument = ({ position, type, at, data }: Selectable<OutboxTable>) => ({
  position,
  type,
  at: writeTimestamp(at),
  data: JSON.parse(data) as unknown,
})

const reportDocument = (report: Selectable<ReportTable>) => ({
  reportID: report.id,
  imageID: report.image_id,
  at: writeTimestamp(report.at),
  reporterID: report.reporter_id,
  reason: report.reason,
  note: report.note,
  closedAt: timestampOrNull(report.closed_at),
  closedBy: report.closed_by,
})

const auditDocument = (entry: Selectable<AuditTable>) => ({
  position: entry.position,
  at: writeTimestamp(entry.at),
  actorID: entry.actor_id,
  via: entry.via,
  action: entry.action,
  acctID: entry.account_id,
  detail: JSON.parse(entry.detail) as unknown,
})

/** What is for no visitor. @returns how many there are of each. */
export async function addPrivateRows(writer: ExportWriter, db: Db): Promise<Record<string, number>> {
  const addLines = (name: string, documents: AsyncGenerator<object, void>): Promise<number> =>
    writer.addRows(`${name}.jsonl`, jsonLines, documents)
  return {
    accounts: await writer.addRows('accounts.csv', accountCsv, everyAccount(db)),
    zones: await addLines('zones', mapped(everyZone(db), zoneDocument)),
    history: await addLines('history', mapped(everyMove(db), moveDocument)),
    events: await addLines('events', mapped(everyEvent(db), eventDocument)),
    reports: await addLines('reports', mapped(everyReport(db), reportDocument)),
    audit: await addLines('audit', mapped(everyAuditEntry(db), auditDocument)),
  }
}

export const routeColumns = csvLine([
  'routeID',
  'acctID',
  'displayName',
  'name',
  'description',
  'lengthMiles',
  'measuredLengthMiles',
  'climb',
  'descent',
  'visibility',
  'createdAt',
  'gpx',
  'geojson',
])

export function routeLine({ summary, gpx, geoJson }: RouteFiles): string {
  const { routeID, acctID, displayName, name, description, visibility, createdAt } = summary
  return csvLine([
    routeID,
    acctID,
    displayName,
    name,
    description,
    summary.length,
    summary.measuredLengthMiles,
    summary.climb,
    summary.descent,
    visibility,
    createdAt,
    gpx ? `routes/${routeID}.gpx` : null,
    geoJson ? `routes/${routeID}.geojson` : null,
  ])
}
