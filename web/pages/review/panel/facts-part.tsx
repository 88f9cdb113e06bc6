// The server's data about the file: upload time, size, and the location in its metadata.
import { placeStrings } from '../../../strings/review-place.ts'
import { reviewStrings as strings } from '../../../strings/review.ts'
import { formatBytes, formatCount, formatDateTime, formatPosition, useFormat } from '../../../ui/format.ts'
import { compassPoint, formatTakenAt } from '../../../ui/taken.ts'
import styles from './panel.module.css'
import type { DeskItem } from '../decisions/review-session.ts'
import { locale } from '../../../strings/language.ts'

const degrees = new Intl.NumberFormat(locale, {
  style: 'unit',
  unit: 'degree',
  unitDisplay: 'narrow',
  maximumFractionDigits: 0,
})
const tenths = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })

export function FactsPart({ item }: { readonly item: DeskItem }) {
  const { status, edited, postedAt, updatedAt, lat, lon, width, height, bytes, mimeType, licence } = item
  const { takenAt, takenAtZone, direction, altitude } = item
  const format = useFormat()
  const { facts } = strings
  const pixels = facts.pixelsOf(formatCount(width), formatCount(height))
  const megapixels = (width * height) / 1e6
  const size = megapixels < 0.1 ? pixels : `${pixels}, ${facts.megapixels(tenths.format(megapixels))}`
  const rows = [
    [facts.status, status === 'approved' && edited ? facts.editedToo : facts.statuses[status]],
    [placeStrings.taken, takenAt === null ? facts.unknown : formatTakenAt(takenAt)],
    ...(takenAt === null || takenAtZone === null
      ? []
      : [[placeStrings.zone, placeStrings.zones[takenAtZone]]]),
    [facts.posted, formatDateTime(postedAt)],
    ...(updatedAt === postedAt ? [] : [[facts.changed, formatDateTime(updatedAt)]]),
    [facts.position, lat === null || lon === null ? facts.unknown : formatPosition(lat, lon)],
    ...(direction === null
      ? []
      : [
          [
            placeStrings.direction,
            placeStrings.directionOf(compassPoint(direction), degrees.format(direction)),
          ],
        ]),
    ...(altitude === null ? [] : [[placeStrings.altitude, format.height(altitude)]]),
    [facts.pixels, size],
    [facts.file, `${mimeType.replace('image/', '').toUpperCase()}, ${formatBytes(bytes)}`],
    [facts.licence, licence ?? facts.unknown],
  ] as const
  return (
    <section className={styles.part}>
      <h2>{facts.heading}</h2>
      <dl className={styles.facts}>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
