// /routes: all public routes, filtered by text, distance, ascent and trail, in a list with a map beside it.
import { Button, Skeleton, Stack } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { lazy, useState, type MouseEvent } from 'react'
import { useViewer } from '../../../data/site.ts'
import { readBox, writeBox } from '../../../map/box-text.ts'
import { publicRouteStrings as strings } from '../../../strings/public-routes.ts'
import { useIsInBrowser } from '../../../ui/in-browser.ts'
import { ListBesideMap, ViewChoice } from '../../../ui/list-beside-map.tsx'
import { useShortcuts } from '../../../ui/keys/shortcuts.tsx'
import { Empty } from '../../../ui/notices/empty.tsx'
import { ProblemNotice } from '../../../ui/notices/problem-notice.tsx'
import { Page } from '../../../ui/page.tsx'
import { RouteCard } from './route-card.tsx'
import { RouteFilters } from './route-filters.tsx'
import styles from './public-routes.module.css'
import { usePublicRoutes, useRouteSearch, type RouteSearch } from './use-public-routes.ts'

const PublicRoutesMap = lazy(async () => ({
  default: (await import('./public-routes-map.tsx')).PublicRoutesMap,
}))

const isNarrowed = ({ q, distance, ascent, near, bbox }: RouteSearch): boolean =>
  [q, distance, ascent, near, bbox].some((filter) => filter !== '')

function NoRoutes({ search, hasTrail }: { readonly search: RouteSearch; readonly hasTrail: boolean }) {
  if (!isNarrowed(search)) return <Empty title={strings.noneYet} detail={strings.noneYetDetail} />
  const isTrailUnknown = search.near !== '' && !hasTrail
  return (
    <Empty
      title={strings.noMatch}
      detail={isTrailUnknown ? strings.noTrail(search.near) : strings.noMatchDetail}
    >
      <Button variant="default" renderRoot={(props) => <Link to="/routes" {...props} />}>
        {strings.clear}
      </Button>
    </Empty>
  )
}

function RoutesPending() {
  return (
    <Stack gap="md" role="status" aria-label={strings.loading}>
      {Array.from({ length: 5 }, (_, at) => (
        <Skeleton key={at} height={112} radius="md" />
      ))}
    </Stack>
  )
}

export function PublicRoutesPage() {
  const viewer = useViewer()
  // Hydration may come after the user is known; the server rendered the page for a visitor.
  const isInBrowser = useIsInBrowser()
  const { search, change } = useRouteSearch()
  const found = usePublicRoutes(search)
  const { routes, trail, next, error, refetch, fetchNextPage, isFetchingNextPage } = found
  const [hoveredId, setHoveredId] = useState<number>()
  const isEmpty = routes?.length === 0 && next === null
  const hasMap = routes !== undefined && (!isEmpty || isNarrowed(search))
  useShortcuts(strings.title, [
    {
      keys: 'm',
      label: strings.toggleMap,
      run: () => change({ view: search.view === 'map' ? '' : 'map', cursor: search.cursor }),
    },
  ])
  const more = (event: MouseEvent): void => {
    // Without scripts, or in a new tab, it is the next page.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    void fetchNextPage()
  }

  return (
    <Page
      title={strings.title}
      lead={trail === null ? strings.lead : strings.usesTrail(trail.name)}
      width="full"
      actions={
        isInBrowser &&
        viewer && (
          <Button variant="default" renderRoot={(props) => <Link to="/routes/mine" {...props} />}>
            {strings.mine}
          </Button>
        )
      }
    >
      <RouteFilters search={search} change={change} />
      <div className={styles.bar}>
        {search.bbox !== '' && (
          <Button
            variant="light"
            size="compact-md"
            rightSection={<X size={16} aria-hidden />}
            aria-label={strings.anywhere}
            renderRoot={(props) => (
              <Link
                to="/routes"
                search={(before: Record<string, unknown>) => ({
                  ...before,
                  bbox: undefined,
                  cursor: undefined,
                })}
                resetScroll={false}
                {...props}
              />
            )}
          >
            {strings.inArea}
          </Button>
        )}
        <ViewChoice
          strings={strings}
          value={search.view}
          onChange={(view) => change({ view: view === 'map' ? view : '', cursor: search.cursor })}
        />
      </div>
      {error && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {routes === undefined && !error && <RoutesPending />}
      {routes && (
        <ListBesideMap
          label={strings.routes}
          view={search.view}
          className={styles.both}
          map={
            hasMap ? (
              <PublicRoutesMap
                routes={routes}
                fitKey={[search.q, search.distance, search.ascent, search.near].join(' ')}
                box={readBox(search.bbox)}
                hoveredId={hoveredId}
                onHover={setHoveredId}
                onSearchHere={(bounds) => change({ bbox: writeBox(bounds) })}
              />
            ) : undefined
          }
        >
          {isEmpty && <NoRoutes search={search} hasTrail={trail !== null} />}
          <ul className={styles.list}>
            {routes.map((route) => (
              <li key={route.routeID}>
                <RouteCard route={route} isPointed={route.routeID === hoveredId} onHover={setHoveredId} />
              </li>
            ))}
          </ul>
          <div className={styles.pages}>
            {next !== null && (
              <Button
                variant="default"
                loading={isFetchingNextPage}
                onClick={more}
                renderRoot={(props) => (
                  <Link
                    to="/routes"
                    search={(before: Record<string, unknown>) => ({ ...before, cursor: next })}
                    rel="next"
                    {...props}
                  />
                )}
              >
                {strings.more}
              </Button>
            )}
            {search.cursor !== '' && (
              <Link
                to="/routes"
                search={(before: Record<string, unknown>) => ({ ...before, cursor: undefined })}
              >
                {strings.toFirst}
              </Link>
            )}
          </div>
        </ListBesideMap>
      )}
    </Page>
  )
}
