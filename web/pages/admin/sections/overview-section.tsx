// Pending work and the state of the site, with links to the sections.
import { Link } from '@tanstack/react-router'
import { keys } from '../../../data/keys.ts'
import { admin } from '../../../strings/admin.ts'
import { formatAgo, formatCount, formatDay } from '../../../ui/format.ts'
import { AdminFrame } from '../admin-frame.tsx'
import styles from '../admin.module.css'
import { BackupCard } from '../backup-card.tsx'
import { Who } from './audit-section.tsx'
import { Loaded } from '../loaded.tsx'
import { useAsked } from '../queries.ts'
import { DiskCards, useStorage } from './storage-section.tsx'

const strings = admin.overview
const recentRows = 6

function WaitingCard() {
  const query = useAsked(keys.queueSummary, ({ review }) => review.summary())
  return (
    <section className={styles.card}>
      <h2>{strings.waiting}</h2>
      <Loaded query={query} bars={2}>
        {({ pending, edited, reported }) =>
          pending + edited + reported === 0 ? (
            <p className={styles.hint}>{strings.waitingNone}</p>
          ) : (
            <dl className={styles.counts}>
              {(
                [
                  ['pending', pending],
                  ['edited', edited],
                  ['reported', reported],
                ] as const
              ).map(([name, count]) => (
                <div key={name}>
                  <dt>{strings[name]}</dt>
                  <dd>{formatCount(count)}</dd>
                </div>
              ))}
            </dl>
          )
        }
      </Loaded>
      <Link to="/review">{strings.toReview}</Link>
    </section>
  )
}

function InvitationsCard() {
  const query = useAsked([...keys.admin, 'invitations'], ({ admin: calls }) => calls.invitations.list())
  return (
    <section className={styles.card}>
      <h2>{strings.invitations}</h2>
      <Loaded query={query} bars={2}>
        {(invitations) =>
          invitations.length === 0 ? (
            <p className={styles.hint}>{strings.invitationsNone}</p>
          ) : (
            <ul className={styles.plainList}>
              {invitations.slice(0, 5).map(({ id, email, expiresAt }) => (
                <li key={id}>
                  <span>{email}</span>
                  <span className={styles.hint}>{strings.invitedUntil(formatDay(expiresAt))}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <Link to="/admin/$section" params={{ section: 'accounts' }} search={{ view: 'invitations' }}>
        {strings.toInvitations}
      </Link>
    </section>
  )
}

/** Shown until an admin has made any choice about the map. */
function MapCard() {
  const { data: map } = useAsked([...keys.admin, 'map'], ({ admin: calls }) => calls.map.get())
  const isOpen = map?.changedAt === null && map.setting.kind === 'none'
  const trouble = map?.trouble ?? null
  if (!isOpen && trouble === null) return null
  return (
    <section className={styles.card} data-tone={isOpen ? undefined : 'bad'}>
      <h2>{strings.map}</h2>
      <p className={styles.hint}>{trouble ?? strings.mapNone}</p>
      <Link to="/admin/$section" params={{ section: 'map' }}>
        {strings.toMap}
      </Link>
    </section>
  )
}

function RecentCard() {
  const query = useAsked([...keys.admin, 'audit', 'recent'], ({ admin: calls }) =>
    calls.audit.page({ limit: recentRows }),
  )
  return (
    <section className={styles.card}>
      <h2>{strings.recent}</h2>
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <p className={styles.hint}>{strings.recentNone}</p>
          ) : (
            <ul className={styles.plainList}>
              {items.map(({ position, at, actor, via, action }) => (
                <li key={position}>
                  <span>
                    <code>{action}</code> <Who actor={actor} via={via} />
                  </span>
                  <time dateTime={at} className={styles.hint}>
                    {formatAgo(at)}
                  </time>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <Link to="/admin/$section" params={{ section: 'audit' }}>
        {strings.toAudit}
      </Link>
    </section>
  )
}

export function OverviewSection() {
  const storage = useStorage()
  return (
    <AdminFrame section="overview">
      <div className={styles.cards}>
        <WaitingCard />
        <InvitationsCard />
        <MapCard />
      </div>
      <Loaded query={storage} bars={2}>
        {({ disks, lowBytes, backup }) => (
          <div className={styles.cards}>
            <DiskCards disks={disks} lowBytes={lowBytes} />
            <BackupCard backup={backup} />
          </div>
        )}
      </Loaded>
      <RecentCard />
    </AdminFrame>
  )
}
