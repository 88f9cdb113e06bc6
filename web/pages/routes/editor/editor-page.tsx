// /routes/new and /routes/<id>/edit: the editor in which routes are drawn, imported, changed and saved (contract D7).
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useViewer } from '../../../data/site.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { editorStrings as strings } from '../../../strings/route-editor.ts'
import { Gate } from '../../../ui/frame/gate.tsx'
import { Page } from '../../../ui/page.tsx'
import { ProblemNotice } from '../../../ui/notices/problem-notice.tsx'
import { PagePending } from '../../../ui/notices/route-states.tsx'
import { editorKey } from './editor-key.ts'
import { EditorScreen } from './editor-screen.tsx'
import { openEditor } from './open-editor.ts'
import { EditorProvider } from './use-editor.tsx'

interface OpenedProps {
  readonly title: string
  readonly routeId: number | undefined
}

function Opened({ title, routeId }: OpenedProps) {
  const waymark = useWaymark()
  const accountId = useViewer()?.acctID ?? 0
  const { data, error, refetch } = useQuery({
    queryKey: editorKey(routeId),
    queryFn: () => openEditor({ waymark, accountId, routeId }),
    // Loaded once: a refetch must not change what is being edited.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  if (error) {
    return (
      <Page title={title}>
        <ProblemNotice error={error} onRetry={() => void refetch()} />
      </Page>
    )
  }
  if (!data) return <PagePending />
  return (
    <EditorProvider editor={data.editor}>
      <EditorScreen opened={data} title={title} />
    </EditorProvider>
  )
}

export function EditorPage() {
  const { routeId } = useParams({ strict: false })
  const title = routeId === undefined ? strings.newTitle : strings.editTitle
  return (
    <Gate title={title}>
      <Opened
        key={routeId ?? 'new'}
        title={title}
        routeId={routeId === undefined ? undefined : Number(routeId)}
      />
    </Gate>
  )
}
