// The filters and sort order of a trail's photos: an area of the map, and a date; all in the URL.
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { galleryStrings } from '../../strings/gallery.ts'
import { useTyped } from '../../ui/fields/use-typed.ts'
import styles from './gallery.module.css'
import type { GalleryOrder } from './gallery-orders.ts'
import type { GalleryFilters } from './use-gallery.ts'

interface GalleryFiltersBarProps {
  readonly slug: string
  readonly filters: GalleryFilters
  readonly orders: readonly GalleryOrder[]
  readonly found: string | undefined
  readonly onChange: (next: Readonly<Record<string, string | undefined>>) => void
}

/** Parameters that a form without scripts would otherwise drop from the URL. */
function OtherFilters({ bbox, taken }: Pick<GalleryFilters, 'bbox' | 'taken'>) {
  return (
    <>
      {bbox !== undefined && <input type="hidden" name="bbox" value={bbox} />}
      {taken !== undefined && <input type="hidden" name="taken" value={taken} />}
    </>
  )
}

export function GalleryFiltersBar({ slug, filters, orders, found, onChange }: GalleryFiltersBarProps) {
  const { bbox, since, order } = filters
  // While a date is being typed, intermediate values such as the years 2 and 20 are not searched.
  const [day, type] = useTyped(since ?? '', (typed) => onChange({ since: typed || undefined }))
  const shown = orders.includes(order) ? order : 'posted'
  const choose = (value: string): void =>
    onChange({ order: value === 'posted' ? undefined : value, from: undefined })
  const without = (name: 'bbox' | 'since') => (before: Record<string, unknown>) => ({
    ...before,
    [name]: undefined,
    cursor: undefined,
  })
  return (
    <form method="get" className={styles.filters} onSubmit={(event) => event.preventDefault()}>
      <OtherFilters bbox={bbox} taken={filters.taken} />
      <NativeSelect
        size="sm"
        name="order"
        label={galleryStrings.order}
        classNames={{ root: styles.since ?? '' }}
        value={shown}
        data={orders.map((value) => ({ value, label: galleryStrings.orders[value] }))}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      <TextInput
        type="date"
        size="sm"
        name="since"
        label={galleryStrings.since}
        classNames={{ root: styles.since ?? '' }}
        value={day}
        onChange={(event) => type(event.currentTarget.value)}
      />
      <noscript>
        <button type="submit" className={styles.apply}>
          {galleryStrings.apply}
        </button>
      </noscript>
      {since !== undefined && (
        <Button
          variant="subtle"
          size="compact-md"
          leftSection={<X size={16} aria-hidden />}
          renderRoot={(props) => (
            <Link to="/t/$slug" params={{ slug }} search={without('since')} resetScroll={false} {...props} />
          )}
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
          renderRoot={(props) => (
            <Link to="/t/$slug" params={{ slug }} search={without('bbox')} resetScroll={false} {...props} />
          )}
        >
          {galleryStrings.inArea}
        </Button>
      )}
      <span role="status" className={styles.found}>
        {found}
      </span>
    </form>
  )
}
