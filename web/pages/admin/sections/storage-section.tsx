// Storage use and free space, as reported by the server.
import { Badge, Button } from '@mantine/core'
import { RefreshCw } from 'lucide-react'
import type { StorageReport } from '../../../../client/client.ts'
import { keys } from '../../../data/keys.ts'
import { admin } from '../../../strings/admin.ts'
import { formatAgo, formatBytes, formatCount, formatDateTime } from '../../../ui/format.ts'
import { AdminFrame } from '../admin-frame.tsx'
import styles from '../admin.module.css'
import { Loaded } from '../loaded.tsx'
import { useAsked } from '../queries.ts'

const strings = admin.storage
const states = ['pending', 'approved', 'rejected', 'removed', 'deleted'] as const

export const useStorage = () => useAsked([...keys.admin, 'storage'], ({ admin: calls }) => calls.storage())

export function DiskCards({ disks, lowBytes }: Pick<StorageReport, 'disks' | 'lowBytes'>) {
  return disks.map(({ name, freeBytes, isLow }) => (
    <section key={name} className={styles.card} data-tone={isLow ? 'bad' : undefined}>
      <h2>{admin.disk[name]}</h2>
      <span className={styles.figure}>{formatBytes(freeBytes)}</span>
      <Badge color={isLow ? 'red' : 'forest'} variant="light">
        {isLow ? admin.overview.diskLow : admin.overview.diskFine}
      </Badge>
      <p className={styles.hint}>{isLow ? strings.low : strings.lowMark(formatBytes(lowBytes))}</p>
    </section>
  ))
}

function ImagesByState({ images }: Pick<StorageReport, 'images'>) {
  const max = Math.max(1, ...states.map((state) => images[state]))
  return (
    <dl className={styles.bars}>
      {states.map((state) => (
        <div key={state}>
          <dt>{strings.states[state]}</dt>
          <dd>
            <div className={styles.track}>
              <div className={styles.fill} style={{ width: `${(images[state] / max) * 100}%` }} />
            </div>
          </dd>
          <dd>{formatCount(images[state])}</dd>
        </div>
      ))}
    </dl>
  )
}

export function StorageSection() {
  const query = useStorage()
  const refresh = (
    <Button
      variant="default"
      leftSection={<RefreshCw size={16} aria-hidden />}
      loading={query.isFetching}
      onClick={() => void query.refetch()}
    >
      {strings.refresh}
    </Button>
  )
  return (
    <AdminFrame section="storage" actions={refresh}>
      <Loaded query={query}>
        {({ database, disks, lowBytes, images, originalBytes, storedTwice, unreadPhotos, lastSweepAt }) => (
          <>
            <div className={styles.cards}>
              <DiskCards disks={disks} lowBytes={lowBytes} />
              <section className={styles.card}>
                <h2>{strings.originals}</h2>
                <span className={styles.figure}>{formatBytes(originalBytes)}</span>
                <p className={styles.hint}>{strings.originalsHint}</p>
                {storedTwice > 0 && (
                  <p className={styles.hint}>{strings.storedTwice(formatCount(storedTwice))}</p>
                )}
                {unreadPhotos > 0 && (
                  <p className={styles.hint}>{strings.unreadPhotos(formatCount(unreadPhotos))}</p>
                )}
              </section>
              <section className={styles.card}>
                <h2>{strings.database}</h2>
                <span className={styles.figure}>{formatBytes(database.bytes)}</span>
                <p className={styles.hint}>{strings.databaseHint(formatBytes(database.walBytes))}</p>
              </section>
              <section className={styles.card}>
                <h2>{strings.sweep}</h2>
                {lastSweepAt === null ? (
                  <p className={styles.hint}>{strings.sweepNever}</p>
                ) : (
                  <time dateTime={lastSweepAt} title={formatDateTime(lastSweepAt)}>
                    {formatAgo(lastSweepAt)}
                  </time>
                )}
              </section>
            </div>
            <section className={styles.card}>
              <h2>{strings.images}</h2>
              <ImagesByState images={images} />
            </section>
          </>
        )}
      </Loaded>
    </AdminFrame>
  )
}
