// Beside the line of a route: its figures, downloads, and share options if it is visible to others.
import { Button, Group, Text } from '@mantine/core'
import { FileDown } from 'lucide-react'
import type { Route } from '../../../../client/client.ts'
import { baseUrl } from '../../../data/base.ts'
import { routeStrings as strings } from '../../../strings/routes.ts'
import { CopyButton } from '../../../ui/fields/copy-button.tsx'
import {
  formatCount,
  formatDay,
  formatDayInUtc,
  formatDateTime,
  formatPosition,
  useFormat,
} from '../../../ui/format.ts'
import { useIsInBrowser } from '../../../ui/in-browser.ts'
import { NewLink } from '../new-link.tsx'
import { embedSnippet, isLinkUnknown, pageAddress } from '../route-links.ts'
import styles from '../routes.module.css'
import { useRouteDownload } from '../use-route-download.ts'

type Shown = Omit<Route, 'gpx'>

interface RouteSideProps {
  readonly route: Shown
  /** The owner gets the complete file, which a plain link cannot provide. */
  readonly isOwn: boolean
  readonly view: { readonly token: string | undefined; readonly as: 'others' | undefined }
}

function Facts({ route }: { readonly route: Shown }) {
  const format = useFormat()
  const isInBrowser = useIsInBrowser()
  const { length, measuredLengthMiles, isLengthStated, climb, descent, pointCount, start, end } = route
  const facts: [string, string | undefined][] = [
    [strings.length, format.length(length)],
    [
      strings.measured,
      isLengthStated === true && measuredLengthMiles !== null
        ? format.length(measuredLengthMiles)
        : undefined,
    ],
    [strings.climbFact, climb === null ? undefined : format.height(climb)],
    [strings.descentFact, descent === null ? undefined : format.height(descent)],
    [strings.pointsFact, formatCount(pointCount)],
    [strings.start, start === null ? undefined : formatPosition(start.lat, start.lon)],
    [strings.end, end === null ? undefined : formatPosition(end.lat, end.lon)],
    [strings.made, (isInBrowser ? formatDay : formatDayInUtc)(route.createdAt)],
    [strings.changed, route.updatedAt === undefined ? undefined : formatDateTime(route.updatedAt)],
  ]
  return (
    <dl className={styles.facts}>
      {facts.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name} style={{ display: 'contents' }}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

export function RouteSide({ route, view, isOwn }: RouteSideProps) {
  const download = useRouteDownload()
  const { warnings = [] } = route
  const snippet = embedSnippet(baseUrl, route)
  const wanted = { routeID: route.routeID, name: route.name, ...view }
  return (
    <aside className={styles.side} aria-label={strings.about}>
      <Facts route={route} />
      {route.visibility === 'public' && <p className={styles.address}>{pageAddress(baseUrl, route)}</p>}
      <section>
        <h2>{strings.downloads}</h2>
        <Group gap="xs">
          {(['gpx', 'geojson'] as const).map((kind) => (
            <Button
              key={kind}
              variant="default"
              leftSection={<FileDown size={16} aria-hidden />}
              {...(isOwn
                ? { onClick: () => void download(wanted, kind) }
                : { component: 'a' as const, href: route.urls[kind], download: true })}
            >
              {kind === 'gpx' ? strings.downloadGpx : strings.downloadGeoJson}
            </Button>
          ))}
          {isOwn && view.as === undefined && (
            <Button
              variant="default"
              leftSection={<FileDown size={16} aria-hidden />}
              onClick={() => void download(wanted, 'original')}
            >
              {strings.downloadOriginal}
            </Button>
          )}
        </Group>
      </section>
      {route.visibility === 'private' && <p className={styles.quiet}>{strings.privateNotice}</p>}
      {isLinkUnknown(route) && (
        <section>
          <h2>{strings.share}</h2>
          <NewLink routeId={route.routeID} />
        </section>
      )}
      {route.visibility !== 'private' && !isLinkUnknown(route) && (
        <section>
          <div data-needs-script>
            <h2>{strings.share}</h2>
            <Group gap="xs" mb="md">
              <CopyButton text={pageAddress(baseUrl, route)} label={strings.copyLink} hasWords />
            </Group>
          </div>
          <h2>{strings.embed}</h2>
          <Text size="sm" c="dimmed" mb="xs">
            {strings.embedDetail}
          </Text>
          <code className={styles.snippet}>{snippet}</code>
          <CopyButton text={snippet} label={strings.embedCopy} hasWords />
        </section>
      )}
      {warnings.length > 0 && (
        <details>
          <summary>{strings.warnings}</summary>
          <ul>
            {warnings.map(({ code, detail }) => (
              <li key={`${code} ${detail}`}>{detail}</li>
            ))}
          </ul>
        </details>
      )}
    </aside>
  )
}
