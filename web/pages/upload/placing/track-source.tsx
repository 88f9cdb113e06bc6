// The source of the track: a GPX file, dropped or chosen, or one of the user's routes.
import { Button, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { FileUp } from 'lucide-react'
import { useRef } from 'react'
import { keys } from '../../../data/keys.ts'
import { useViewer } from '../../../data/site.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { placingStrings } from '../../../strings/placing.ts'
import { formatDay } from '../../../ui/format.ts'
import type { TrackSource as Source } from '../../../upload/read-track-file.ts'
import styles from './placing.module.css'

const { track: strings } = placingStrings

/** As many as a person can look through; older ones exist as files as well. */
const maxRoutes = 100

interface TrackSourceProps {
  readonly isReading: boolean
  readonly onFiles: (files: readonly File[]) => void
  readonly onRoute: (load: () => Promise<readonly Source[]>) => void
}

function OwnRoutes({ onRoute }: Pick<TrackSourceProps, 'onRoute'>) {
  const waymark = useWaymark()
  const accountId = useViewer()?.acctID ?? 0
  const { data, isError } = useQuery({
    queryKey: [...keys.routes, 'for placing', accountId],
    queryFn: () => waymark.routes.page(accountId, { limit: maxRoutes }),
  })
  if (isError) return <p className={styles.hint}>{strings.routesFailed}</p>
  if (!data) return null
  if (data.items.length === 0) return <p className={styles.hint}>{strings.noRoutes}</p>
  const options = data.items.map(({ routeID, name, createdAt }) => ({
    value: String(routeID),
    label: `${name} (${formatDay(createdAt)})`,
  }))
  return (
    <NativeSelect
      label={strings.routes}
      data={[{ value: '', label: strings.routesPlaceholder }, ...options]}
      onChange={({ currentTarget: { value } }) => {
        const route = data.items.find(({ routeID }) => String(routeID) === value)
        if (!route) return
        onRoute(async () => [{ name: route.name, gpx: new Blob([await waymark.routes.gpx(route.routeID)]) }])
      }}
    />
  )
}

export function TrackSource({ isReading, onFiles, onRoute }: TrackSourceProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <div className={styles.source}>
      <input
        ref={input}
        type="file"
        // Phones have no media type for GPX, and would grey it out.
        multiple
        hidden
        aria-label={strings.choose}
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])])
          currentTarget.value = ''
        }}
      />
      <div className={styles.sourceFile}>
        <Button
          data-autofocus
          leftSection={<FileUp size={18} aria-hidden />}
          loading={isReading}
          onClick={() => input.current?.click()}
        >
          {strings.choose}
        </Button>
        <span className={styles.onDesk}>{strings.drop}</span>
      </div>
      <OwnRoutes onRoute={onRoute} />
    </div>
  )
}
