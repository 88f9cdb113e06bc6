// /routes/mine: all routes of the user, with search, import of multiple files, and the actions for each.
import { Button, FileButton, Skeleton, Stack, TextInput } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { FileUp, Pencil, Search } from 'lucide-react'
import { useRef } from 'react'
import { keys } from '../../../data/keys.ts'
import { useViewer } from '../../../data/site.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { routeStrings as strings } from '../../../strings/routes.ts'
import { Empty } from '../../../ui/notices/empty.tsx'
import { Gate } from '../../../ui/frame/gate.tsx'
import { Page } from '../../../ui/page.tsx'
import { ProblemNotice } from '../../../ui/notices/problem-notice.tsx'
import { FileDrop } from '../../../ui/file-drop.tsx'
import { useTyped } from '../../../ui/fields/use-typed.ts'
import { ImportResults } from './import-results.tsx'
import { RouteRow } from './route-row.tsx'
import styles from '../routes.module.css'
import { useImportMany } from './use-import-many.ts'

const pageSize = 50

function useOwnRoutes(q: string) {
  const waymark = useWaymark()
  const accountId = useViewer()?.acctID ?? 0
  return useInfiniteQuery({
    queryKey: [...keys.routes, 'own', accountId, q],
    queryFn: ({ pageParam }) =>
      waymark.routes.page(accountId, { q: q || undefined, limit: pageSize, cursor: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
}

function SearchField({ q }: { readonly q: string }) {
  const navigate = useNavigate()
  const [text, type] = useTyped(
    q,
    (sought) => void navigate({ to: '/routes/mine', search: { q: sought || undefined }, replace: true }),
  )
  return (
    <TextInput
      type="search"
      className={styles.search ?? ''}
      aria-label={strings.searchLabel}
      placeholder={strings.searchLabel}
      leftSection={<Search size={18} aria-hidden />}
      value={text}
      onChange={({ currentTarget }) => type(currentTarget.value)}
    />
  )
}

interface RouteListProps {
  readonly q: string
  readonly onImport: () => void
}

function RouteList({ q, onImport }: RouteListProps) {
  const routesOf = useOwnRoutes(q)
  const { data, error, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage, refetch } =
    routesOf
  if (!data && error) return <ProblemNotice error={error} onRetry={() => void refetch()} />
  if (!data) {
    return (
      <Stack gap="sm" aria-busy="true">
        {[1, 2, 3, 4].map((row) => (
          <Skeleton key={row} height={92} />
        ))}
      </Stack>
    )
  }
  const routes = data.pages.flatMap(({ items }) => items)
  if (routes.length === 0 && q !== '')
    return <Empty title={strings.nothingFound} detail={strings.nothingFoundDetail} />
  if (routes.length === 0) {
    return (
      <Empty title={strings.emptyTitle} detail={strings.emptyDetail}>
        <Button
          leftSection={<Pencil size={18} aria-hidden />}
          renderRoot={(props) => <Link to="/routes/new" {...props} />}
        >
          {strings.draw}
        </Button>
        <Button variant="default" leftSection={<FileUp size={18} aria-hidden />} onClick={onImport}>
          {strings.import}
        </Button>
      </Empty>
    )
  }
  return (
    <>
      <ul className={styles.list} aria-label={strings.list}>
        {routes.map((route) => (
          <RouteRow key={route.routeID} route={route} />
        ))}
      </ul>
      {isFetchNextPageError && <ProblemNotice error={error} onRetry={() => void fetchNextPage()} />}
      {hasNextPage && !isFetchNextPageError && (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {strings.more}
        </Button>
      )}
    </>
  )
}

function OwnRoutes() {
  const { q = '' } = useSearch({ strict: false }) as { q?: string }
  const importing = useImportMany()
  const resetFiles = useRef<() => void>(null)
  const importFiles = (files: readonly File[]) => {
    // Without this, the browser would not report the same files chosen again.
    resetFiles.current?.()
    if (files.length > 0) importing.importFiles(files)
  }
  return (
    <FileButton
      resetRef={resetFiles}
      multiple
      accept=".gpx,application/gpx+xml,application/xml,text/xml"
      onChange={importFiles}
    >
      {({ onClick: pick }) => (
        <Page
          title={strings.title}
          lead={strings.lead}
          actions={
            <>
              <Button
                variant="default"
                leftSection={<FileUp size={18} aria-hidden />}
                loading={importing.isPending}
                onClick={pick}
              >
                {strings.import}
              </Button>
              <Button
                leftSection={<Pencil size={18} aria-hidden />}
                renderRoot={(props) => <Link to="/routes/new" {...props} />}
              >
                {strings.draw}
              </Button>
            </>
          }
        >
          <SearchField q={q} />
          {importing.error !== undefined && (
            <ProblemNotice error={importing.error} onRetry={importing.goOn} />
          )}
          {importing.isPending && <p role="status">{strings.importing(importing.filesLeft)}</p>}
          {importing.results.length > 0 && (
            <ImportResults results={importing.results} onClose={importing.clear} />
          )}
          <RouteList q={q} onImport={pick} />
          <FileDrop label={strings.dropHere} take={({ files }) => importFiles([...files])} />
        </Page>
      )}
    </FileButton>
  )
}

export function RoutesPage() {
  return (
    <Gate title={strings.title}>
      <OwnRoutes />
    </Gate>
  )
}
