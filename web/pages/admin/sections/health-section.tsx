// The health of the server, and problems with its settings.
import { Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { keys } from '../../../data/keys.ts'
import { useSite } from '../../../data/site.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import type { SiteInfo, SiteMap, StorageReport } from '../../../../client/client.ts'
import { admin } from '../../../strings/admin.ts'
import { formatAgo } from '../../../ui/format.ts'
import { ProblemNotice } from '../../../ui/notices/problem-notice.tsx'
import { AdminFrame } from '../admin-frame.tsx'
import styles from '../admin.module.css'
import { Loaded } from '../loaded.tsx'
import { useAsked } from '../queries.ts'
import { useStorage } from './storage-section.tsx'
import { locale } from '../../../strings/language.ts'

const strings = admin.health
const askEveryMs = 15_000

const tookIn = (milliseconds: number): string =>
  new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: 'millisecond',
    maximumFractionDigits: 0,
  }).format(milliseconds)

/** Polls the server with one query, and measures the response time. */
function Probe({ path, label }: { readonly path: string; readonly label: string }) {
  const waymark = useWaymark()
  const query = useQuery({
    queryKey: [...keys.admin, 'health', path],
    refetchInterval: askEveryMs,
    queryFn: async () => {
      const askedAt = performance.now()
      await waymark.request('GET', path, { retries: 0 })
      return performance.now() - askedAt
    },
  })
  const isGood = query.data !== undefined && !query.error
  return (
    <section className={styles.card} data-tone={query.error ? 'bad' : undefined} data-probe={path}>
      <h2>{label}</h2>
      {query.error ? (
        <ProblemNotice error={query.error} order={3} onRetry={() => void query.refetch()} />
      ) : (
        <Loaded query={query} bars={1}>
          {(milliseconds) => (
            <>
              <Badge variant="light" color={isGood ? 'forest' : 'red'} size="lg">
                {isGood ? strings.yes : strings.no}
              </Badge>
              <p className={styles.hint}>{strings.took(tookIn(milliseconds))}</p>
            </>
          )}
        </Loaded>
      )}
    </section>
  )
}

/** Hints for the operator, one sentence each. */
export function remarksOn(
  site: SiteInfo,
  storage: Pick<StorageReport, 'disks'> | undefined,
  map?: Pick<SiteMap, 'trouble'>,
): string[] {
  const { protocol, hostname } = new URL(site.publicUrl)
  const isHere = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)
  return [
    ...(protocol === 'http:' && !isHere ? [strings.plainHttp] : []),
    ...(site.canMail ? [] : [strings.noMail]),
    ...(site.signUp === 'open' && !site.canMail ? [strings.openWithoutMail] : []),
    ...(site.licence === null ? [strings.noLicence] : []),
    ...(map && map.trouble !== null ? [map.trouble] : []),
    ...(storage?.disks ?? [])
      .filter(({ isLow }) => isLow)
      .map(({ name }) => strings.diskLow(admin.disk[name])),
  ]
}

/** Background work of the server, and the result of its last runs. */
function BackgroundJobs() {
  const query = useAsked([...keys.admin, 'jobs'], ({ admin: calls }) => calls.jobs())
  const { title, hint, head, names, never, noError, failed } = strings.jobs
  return (
    <section className={styles.card}>
      <h2>{title}</h2>
      <Loaded query={query} bars={2}>
        {(jobs) => (
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">{head.name}</th>
                <th scope="col">{head.last}</th>
                <th scope="col">{head.duration}</th>
                <th scope="col">{head.error}</th>
              </tr>
            </thead>
            <tbody>
              {jobs.map(({ name, lastEndedAt, lastDurationMs, lastError }) => (
                <tr key={name}>
                  <td data-label={head.name}>{names[name] ?? name}</td>
                  <td data-label={head.last}>{lastEndedAt === null ? never : formatAgo(lastEndedAt)}</td>
                  <td data-label={head.duration}>{lastDurationMs !== null && tookIn(lastDurationMs)}</td>
                  <td data-label={head.error}>
                    {lastError ? failed(lastError.code, formatAgo(lastError.at)) : noError}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Loaded>
      <p className={styles.hint}>{hint}</p>
    </section>
  )
}

export function HealthSection() {
  const site = useSite()
  const { data: storage } = useStorage()
  const { data: map } = useAsked([...keys.admin, 'map'], ({ admin: calls }) => calls.map.get())
  const remarks = remarksOn(site, storage, map)
  const facts = [
    [strings.version, site.version],
    [strings.address, site.publicUrl],
    [strings.signUp, strings.signUps[site.signUp]],
    [strings.mail, site.canMail ? strings.mailOn : strings.mailOff],
    [strings.passkeys, site.hasPasskeys ? strings.passkeysOn : strings.passkeysOff],
  ] as const
  return (
    <AdminFrame section="health">
      <div className={styles.cards}>
        <Probe path="/health/live" label={strings.live} />
        <Probe path="/health/ready" label={strings.ready} />
      </div>
      <p className={styles.hint}>{strings.lastAsked}</p>
      <section className={styles.card}>
        <h2>{strings.remarks}</h2>
        {remarks.length === 0 ? (
          <p className={styles.hint}>{strings.remarksNone}</p>
        ) : (
          <ul>
            {remarks.map((remark) => (
              <li key={remark}>{remark}</li>
            ))}
          </ul>
        )}
      </section>
      <section className={styles.card}>
        <dl className={styles.facts}>
          {facts.map(([name, value]) => (
            <div key={name} style={{ display: 'contents' }}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </section>
      <BackgroundJobs />
    </AdminFrame>
  )
}
