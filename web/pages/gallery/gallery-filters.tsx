// What of the trail's photos is shown, and in which order: an area of the map, and since which day; all in the address.
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { X } from 'lucide-react'
import { galleryStrings } from '../../strings/gallery.ts'
import { useTyped } from '../../ui/fields/use-typed.ts'
import styles from './gallery.module.css'
import type { GalleryFilters } from './use-gallery.ts'
import type { GalleryOrder } from './use-order.ts'

interface GalleryFiltersBarProps {
  readonly filters: GalleryFilters
  readonly orders: readonly GalleryOrder[]
  readonly found: string | undefined
  readonly onChange: (next: Readonly<Record<string, string | undefined>>) => void
}

export function GalleryFiltersBar({ filters, orders, found, onChange }: GalleryFiltersBarProps) {
  const { bbox, since, order } = filters
  // As it is typed it is other days on the way, of the years 2 and 20: they are not looked for.
  const [day, type] = useTyped(since ?? '', (typed) => onChange({ since: typed || undefined }))
  return (
    <div className={styles.filters}>
      <NativeSelect
        size="sm"
        label={galleryStrings.order}
        classNames={{ root: styles.since ?? '' }}
        value={orders.includes(order) ? order : 'posted'}
        data={orders.map((value) => ({ value, label: galleryStrings.orders[value] }))}
        onChange={({ currentTarget: { value } }) =>
          onChange({ order: value === 'posted' ? undefined : value, from: undefined })
        }
      />
      <TextInput
        type="date"
        size="sm"
        label={galleryStrings.since}
        classNames={{ root: styles.since ?? '' }}
        value={day}
        onChange={(event) => type(event.currentTarget.value)}
      />
      {since !== undefined && (
        <Button
          variant="subtle"
          size="compact-md"
          leftSection={<X size={16} aria-hidden />}
          onClick={() => onChange({ since: undefined })}
        >
          {galleryStrings.anyTime}
        </Button>
      )}
      {bbox !== undefined && (
        <Button
          variant="light"
          size="compact-md"
          rightSection={<X size={16} aria-hidden />}
          aria-label={galleryStrings.anywhere}
          onClick={() => onChange({ bbox: undefined })}
        >
          {galleryStrings.inArea}
        </Button>
      )}
      <span role="status" className={styles.found}>
        {found}
      </span>
    </div>
  )
}
