// The filters for routes: a form that works without scripts; with scripts it updates the URL at once.
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { Search } from 'lucide-react'
import { useId, useState, type SyntheticEvent } from 'react'
import { href } from '../../../data/base.ts'
import { useTrailsFound } from '../../../data/trails-found.ts'
import { publicRouteStrings as strings } from '../../../strings/public-routes.ts'
import { useTyped } from '../../../ui/fields/use-typed.ts'
import { formatAbout, formatHeight } from '../../../ui/format.ts'
import { usePreferences } from '../../../ui/preferences.ts'
import { ascentRanges, distanceRanges, readRange } from './ranges.ts'
import styles from './public-routes.module.css'
import { orders, type RouteSearch } from './use-public-routes.ts'

const maxOffered = 20

interface RouteFiltersProps {
  readonly search: RouteSearch
  readonly change: (
    next: Partial<Record<keyof RouteSearch, string>>,
    how?: { readonly isStep?: boolean },
  ) => void
}

function labelOf(text: string, write: (figure: number) => string): string {
  const { min, max } = readRange(text) ?? {}
  if (min === undefined) return strings.upTo(write(max ?? 0))
  return max === undefined ? strings.atLeast(write(min)) : strings.between(write(min), write(max))
}

interface RangeFieldProps {
  readonly name: 'distance' | 'ascent'
  readonly label: string
  readonly any: string
  readonly value: string
  readonly ranges: readonly string[]
  readonly write: (figure: number) => string
  readonly onChange: (value: string) => void
}

function RangeField({ name, label, any, value, ranges, write, onChange }: RangeFieldProps) {
  // The URL may come from a person who uses other units.
  const offered = value === '' || ranges.includes(value) ? ranges : [value, ...ranges]
  return (
    <NativeSelect
      name={name}
      label={label}
      value={value}
      data={[
        { value: '', label: any },
        ...offered.map((text) => ({ value: text, label: labelOf(text, write) })),
      ]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

function NearField({ near, onChange }: { readonly near: string; readonly onChange: (near: string) => void }) {
  const [typed, setTyped] = useState<string>()
  const listId = useId()
  const text = typed ?? near
  const { trails = [] } = useTrailsFound(text, {
    max: maxOffered,
    isEmptyAll: true,
    isOff: typed === undefined,
  })
  const take = (): void => {
    if (typed !== undefined && typed.trim() !== near) onChange(typed.trim())
    setTyped(undefined)
  }
  return (
    <>
      <TextInput
        name="near"
        label={strings.near}
        placeholder={strings.nearPlaceholder}
        autoComplete="off"
        list={listId}
        maxLength={200}
        value={text}
        onFocus={() => setTyped(near)}
        onBlur={take}
        onKeyDown={({ key }) => key === 'Enter' && take()}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value)
          // Detects a choice from the datalist, for which there is no event.
          if (value !== '' && trails.some(({ name }) => name === value)) onChange(value)
        }}
      />
      <datalist id={listId}>
        {trails.map(({ trailID, name }) => (
          <option key={trailID} value={name}>
            {name}
          </option>
        ))}
      </datalist>
    </>
  )
}

export function RouteFilters({ search, change }: RouteFiltersProps) {
  const { units } = usePreferences()
  const [words, type] = useTyped(search.q, (q) => change({ q }, { isStep: false }))
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault()
    change({ q: words.trim() }, { isStep: false })
  }
  return (
    <form
      method="get"
      action={href('/routes')}
      role="search"
      aria-label={strings.filters}
      className={styles.filters}
      onSubmit={submit}
    >
      <TextInput
        type="search"
        name="q"
        className={styles.words ?? ''}
        label={strings.words}
        placeholder={strings.wordsPlaceholder}
        maxLength={200}
        value={words}
        onChange={({ currentTarget }) => type(currentTarget.value)}
      />
      <RangeField
        name="distance"
        label={strings.distance}
        any={strings.anyDistance}
        value={search.distance}
        ranges={distanceRanges(units)}
        write={(miles) => formatAbout(miles, units)}
        onChange={(distance) => change({ distance })}
      />
      <RangeField
        name="ascent"
        label={strings.ascent}
        any={strings.anyAscent}
        value={search.ascent}
        ranges={ascentRanges(units)}
        write={(metres) => formatHeight(metres, units)}
        onChange={(ascent) => change({ ascent })}
      />
      <NearField near={search.near} onChange={(near) => change({ near })} />
      <NativeSelect
        name="order"
        label={strings.order}
        value={search.order}
        data={orders.map((order) => ({ value: order, label: strings.orders[order] }))}
        onChange={({ currentTarget: { value } }) => change({ order: value === 'newest' ? '' : value })}
      />
      {search.bbox !== '' && <input type="hidden" name="bbox" value={search.bbox} />}
      <Button type="submit" leftSection={<Search size={18} aria-hidden />}>
        {strings.search}
      </Button>
    </form>
  )
}
