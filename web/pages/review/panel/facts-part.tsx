// What the server knows of the file: when it came, how large it is, where it says it was taken.
import { reviewStrings as strings } from '../../../strings/review.ts'
import { formatBytes, formatCount, formatDateTime, formatPosition } from '../../../ui/format.ts'
import styles from './panel.module.css'
import type { DeskItem } from '../decisions/review-session.ts'
import { locale } from '../../../strings/language.ts'

const tenths = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })

export function FactsPart({ item }: { readonly item: DeskItem }) {
  const { status, edited, postedAt, updatedAt, lat, lon, width, height, bytes, mimeType, licence } = item
  const { facts } = strings
  const pixels = facts.pixelsOf(formatCount(width), formatCount(height))
  const megapixels = (width * height) / 1e6
  const size = megapixels < 0.1 ? pixels : `${pixels}, ${facts.megapixels(tenths.format(megapixels))}`
  const rows = [
    [facts.status, status === 'approved' && edited ? facts.editedToo : facts.statuses[status]],
    [facts.posted, formatDateTime(postedAt)],
    ...(updatedAt === postedAt ? [] : [[facts.changed, formatDateTime(updatedAt)]]),
    [facts.position, lat === null || lon === null ? facts.unknown : formatPosition(lat, lon)],
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
