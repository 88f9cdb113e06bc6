// All trails: filtered by name or area, in a list with a map beside it.
import { Button, CloseButton, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Search, X } from 'lucide-react'
import { lazy, useState } from 'react'
import type { TrailSummary } from '../../../client/client.ts'
import { href } from '../../data/base.ts'
import { isAdmin, useViewer } from '../../data/site.ts'
import { writeBox } from '../../map/box-text.ts'
import { common } from '../../strings/common.ts'
import { trailStrings } from '../../strings/trails.ts'
import { Empty } from '../../ui/notices/empty.tsx'
import { formatCount } from '../../ui/format.ts'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/notices/problem-notice.tsx'
import { useShortcuts } from '../../ui/keys/shortcuts.tsx'
import { ListBesideMap, ViewChoice } from '../../ui/list-beside-map.tsx'
import { ListPlaces } from '../../ui/list-places.tsx'
import { useTyped } from '../../ui/fields/use-typed.ts'
import { TrailList, TrailListPending } from './trail-list.tsx'
import styles from './trails.module.css'
import { useTrails, useTrailSearch } from './use-trails.ts'

const TrailsMap = lazy(async () => ({ default: (await import('./trails-map.tsx')).TrailsMap }))

function SearchField({
  value,
  onChange,
}: {
  readonly value: string
  readonly onChange: (q: string) => void
}) {
  const [text, type] = useTyped(value, onChange)
  return (
    <form
      method="get"
      action={href('/')}
      className={styles.search}
      onSubmit={(event) => {
        event.preventDefault()
        onChange(text.trim())
      }}
    >
      <TextInput
        type="search"
        name="q"
        aria-label={trailStrings.search}
        placeholder={trailStrings.searchPlaceholder}
        leftSection={<Search size={18} aria-hidden />}
        rightSection={
          text !== '' && (
            <CloseButton
              data-needs-script
              aria-label={trailStrings.clear}
              size="sm"
              onClick={() => type('')}
            />
          )
        }
        value={text}
        onChange={(event) => type(event.currentTarget.value)}
      />
    </form>
  )
}

const everywhere = (before: Record<string, unknown>) => ({
  ...before,
  bbox: undefined,
  cursor: undefined,
})
const allOfThem = (before: Record<string, unknown>) => ({ ...everywhere(before), q: undefined })

function NoTrails({ isSearch }: { readonly isSearch: boolean }) {
  const viewer = useViewer()
  if (isSearch) {
    return (
      <Empty title={trailStrings.noMatch} detail={trailStrings.noMatchDetail}>
        <Button
          variant="default"
          renderRoot={(props) => <Link to="/" search={allOfThem} resetScroll={false} {...props} />}
        >
          {trailStrings.clear}
        </Button>
      </Empty>
    )
  }
  if (!isAdmin(viewer)) return <Empty title={trailStrings.noneYet} detail={trailStrings.noneYetOthers} />
  return (
    <Empty title={trailStrings.noneYet} detail={trailStrings.noneYetAdmin}>
      <Button renderRoot={(props) => <Link to="/admin/$section" params={{ section: 'trails' }} {...props} />}>
        {trailStrings.importTrails}
      </Button>
    </Empty>
  )
}

function countsOf(trails: readonly TrailSummary[]): string {
  const photos = trails.reduce((sum, { images }) => sum + images, 0)
  return trailStrings.counts(trails.length, formatCount(trails.length), photos, formatCount(photos))
}

export function TrailsPage() {
  const { search, box, change } = useTrailSearch()
  const { trails, isWhole, next, error, refetch, isPlaceholderData } = useTrails(search)
  const [hoveredId, setHoveredId] = useState<number>()
  const isSearch = search.q !== '' || search.bbox !== undefined
  const isEmpty = trails?.length === 0 && !isPlaceholderData
  // An empty site has nothing to show on a map; an empty search result still needs the map, to search elsewhere.
  const hasMap = trails !== undefined && (!isEmpty || isSearch)
  useShortcuts(trailStrings.title, [
    {
      keys: 'm',
      label: trailStrings.toggleMap,
      run: () => change({ view: search.view === 'map' ? undefined : 'map' }),
    },
  ])

  return (
    <Page
      title={trailStrings.title}
      lead={trails && isWhole && !isEmpty && !isSearch ? countsOf(trails) : undefined}
      width="full"
    >
      <div className={styles.bar}>
        <SearchField value={search.q} onChange={(q) => change({ q: q || undefined }, { isStep: false })} />
        {search.bbox !== undefined && (
          <Button
            variant="light"
            size="compact-md"
            rightSection={<X size={16} aria-hidden />}
            aria-label={trailStrings.anywhere}
            renderRoot={(props) => <Link to="/" search={everywhere} resetScroll={false} {...props} />}
          >
            {trailStrings.inArea}
          </Button>
        )}
        <ViewChoice
          strings={trailStrings}
          value={search.view}
          onChange={(view) => change({ view: view === 'map' ? view : undefined })}
        />
        <span role="status" className={styles.found}>
          {trails &&
            isSearch &&
            !isPlaceholderData &&
            trailStrings.found(trails.length, formatCount(trails.length))}
        </span>
      </div>
      {error && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {trails === undefined && !error && <TrailListPending />}
      {trails && (
        <ListBesideMap
          label={common.pages.trails}
          view={search.view}
          className={styles.both}
          map={
            hasMap ? (
              <TrailsMap
                trails={trails}
                fitKey={search.q}
                box={box}
                hoveredId={hoveredId}
                onHover={setHoveredId}
                onSearchHere={(bounds) => change({ bbox: writeBox(bounds) })}
              />
            ) : undefined
          }
        >
          {isEmpty ? (
            <NoTrails isSearch={isSearch} />
          ) : (
            <TrailList trails={trails} pointedId={hoveredId} onHover={setHoveredId} />
          )}
          <ListPlaces
            next={next}
            more={trailStrings.more}
            isFurther={search.cursor !== null}
            toFirst={trailStrings.toFirst}
          />
        </ListBesideMap>
      )}
    </Page>
  )
}
