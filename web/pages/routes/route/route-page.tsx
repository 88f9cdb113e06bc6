// /routes/<id>: one route, for everyone who may see it: line, elevation, facts, downloads, a snippet to embed.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Eye, Pencil, Trash2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { isWaymarkProblem, type Route } from '../../../../client/client.ts'
import { keys } from '../../../data/keys.ts'
import { useViewer } from '../../../data/site.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { common } from '../../../strings/common.ts'
import { routeStrings as strings } from '../../../strings/routes.ts'
import { Empty } from '../../../ui/notices/empty.tsx'
import { Page } from '../../../ui/page.tsx'
import { ProblemNotice } from '../../../ui/notices/problem-notice.tsx'
import { PagePending } from '../../../ui/notices/route-states.tsx'
import { DeleteRoute, useIsBeingDeleted } from '../delete-route.tsx'
import { RouteSide } from './route-side.tsx'
import { StillStage } from './still-stage.tsx'
import styles from '../routes.module.css'
import { VisibilityMenu } from '../list/visibility-menu.tsx'
import { useIsInBrowser } from '../../../ui/in-browser.ts'
import { WhenSeen } from '../../../ui/when-seen.tsx'

const RouteStage = lazy(async () => ({ default: (await import('./route-stage.tsx')).RouteStage }))

function useRoute() {
  const waymark = useWaymark()
  const viewer = useViewer()
  const isInBrowser = useIsInBrowser()
  const { routeId = '' } = useParams({ strict: false })
  const search = useSearch({ strict: false }) as { token?: string; as?: string }
  const as = search.as === 'others' ? ('others' as const) : undefined
  const view = { token: search.token, as }
  const id = Number(routeId)
  const isBeingDeleted = useIsBeingDeleted(id)
  // The content of the server's page, which visitors see until the whole line has loaded. Signed-in users may see
  // more.
  const { data: overview } = useQuery({
    queryKey: [...keys.route(id), 'overview', search.token ?? ''],
    queryFn: () => waymark.routes.overview(id, { token: search.token }),
    enabled: as === undefined && viewer === null,
  })
  const whole = useQuery({
    queryKey: [...keys.route(id), view],
    queryFn: () => waymark.routes.get(id, view),
    enabled: isInBrowser && !isBeingDeleted,
  })
  return { ...whole, overview, view }
}

function OwnerActions({ route, isPreview }: { readonly route: Route; readonly isPreview: boolean }) {
  const navigate = useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  const params = { routeId: String(route.routeID) }
  return (
    <>
      {!isPreview && <VisibilityMenu route={route} />}
      {!isPreview && route.visibility !== 'private' && (
        <Button
          variant="default"
          leftSection={<Eye size={18} aria-hidden />}
          renderRoot={(props) => (
            <Link to="/routes/$routeId" params={params} search={{ as: 'others' }} {...props} />
          )}
        >
          {strings.previewOn}
        </Button>
      )}
      <Button
        variant="default"
        leftSection={<Trash2 size={18} aria-hidden />}
        onClick={() => setDeleting(true)}
      >
        {strings.delete}
      </Button>
      <Button
        leftSection={<Pencil size={18} aria-hidden />}
        renderRoot={(props) => <Link to="/routes/$routeId/edit" params={params} {...props} />}
      >
        {strings.edit}
      </Button>
      <DeleteRoute
        route={route}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onDeleted={() => navigate({ to: '/routes/mine' })}
      />
    </>
  )
}

function RouteMissing() {
  return (
    <Page title={strings.notFound} width="text">
      <Empty title={strings.notFound} detail={strings.notFoundDetail}>
        <Link to="/">{common.problem.toStart}</Link>
      </Empty>
    </Page>
  )
}

export function RoutePage() {
  const { data: whole, overview, error, refetch, view } = useRoute()
  const viewer = useViewer()
  const route = whole ?? overview
  const isMissing =
    isWaymarkProblem(error) && (error.status === 404 || error.status === 401 || error.status === 403)
  if (isMissing) return <RouteMissing />
  if (!route && error) {
    return (
      <Page title={strings.title}>
        <ProblemNotice error={error} onRetry={() => void refetch()} />
      </Page>
    )
  }
  if (!route) return <PagePending />
  const isOwn = whole !== undefined && viewer?.acctID === whole.acctID
  const isPreview = isOwn && view.as === 'others'
  const name = route.name.trim() || strings.unnamed
  return (
    <Page
      title={name}
      lead={isOwn ? undefined : strings.by(route.displayName)}
      actions={isOwn && <OwnerActions route={whole} isPreview={isPreview} />}
    >
      {isPreview && (
        <p className={styles.banner}>
          {strings.previewNotice}
          <Button
            size="compact-md"
            variant="default"
            renderRoot={(props) => (
              <Link to="/routes/$routeId" params={{ routeId: String(route.routeID) }} {...props} />
            )}
          >
            {strings.previewOff}
          </Button>
        </p>
      )}
      {route.description.trim() !== '' && <p className={styles.description}>{route.description}</p>}
      <div className={styles.view}>
        <WhenSeen standIn={<StillStage overview={overview} />}>
          <Suspense fallback={<StillStage overview={overview} />}>
            {whole ? (
              <RouteStage
                key={`${whole.routeID} ${view.as ?? ''} ${whole.updatedAt ?? ''}`}
                route={whole}
                standIn={<StillStage overview={overview} />}
              />
            ) : (
              <StillStage overview={overview} />
            )}
          </Suspense>
        </WhenSeen>
        <RouteSide route={route} view={view} isOwn={isOwn} />
      </div>
    </Page>
  )
}
