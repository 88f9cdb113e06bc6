// The whole queue in one bar: counts by state, progress, remaining time, and the actions for all.
import { Button, VisuallyHidden } from '@mantine/core'
import { useNetwork } from '@mantine/hooks'
import { Pause, PencilLine, Play, Send } from 'lucide-react'
import { useEffect, useState } from 'react'
import { uploadStrings } from '../../strings/upload.ts'
import { formatBytes } from '../../ui/format.ts'
import { trailName } from '../../ui/fields/trail-name.ts'
import { isUnderWay, isWorthRetrying, type QueuedPhoto } from '../../upload/photo.ts'
import type { Queue } from '../../upload/queue.ts'
import { countQueue, isCutOff, progressOf, refusedBytesOf } from '../../upload/queue-view.ts'
import { useUploads, useUploadsState } from '../../upload/use-uploads.ts'
import { formatDuration } from './duration.ts'
import styles from './upload.module.css'
import { useTakeOut } from './use-take-out.ts'

const idsOf = (queue: Queue): readonly string[] => queue.map(({ id }) => id)

/** Names the trail, so that photos do not go to another trail than the user expects. */
function sendLabel(queue: Queue): string {
  const ready = queue.filter(({ state }) => state === 'ready')
  const trails = new Map(ready.flatMap(({ trail }) => (trail ? [[trail.trailId, trail] as const] : [])))
  const [trail] = trails.values()
  const isWhole = ready.every((photo) => photo.trail !== undefined)
  if (!trail || !isWhole) return uploadStrings.send(ready.length)
  return trails.size === 1
    ? uploadStrings.sendTo(ready.length, trailName(trail))
    : uploadStrings.sendToSeveral(ready.length, trails.size)
}

const tones: Readonly<Record<string, string>> = { failed: 'bad', done: 'good' }

function Counts({ queue }: { readonly queue: Queue }) {
  const counts = countQueue(queue)
  const shown = (Object.keys(counts) as (keyof typeof counts)[]).filter((name) => counts[name] > 0)
  return (
    <ul className={styles.counts}>
      {shown.map((name) => (
        <li key={name} data-tone={tones[name]}>
          {uploadStrings.counts[name](counts[name])}
        </li>
      ))}
    </ul>
  )
}

/** Checked every second, since there is no event for a stalled upload. */
function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!isRunning) return undefined
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [isRunning])
  return now
}

function Overall({ queue }: { readonly queue: Queue }) {
  const uploads = useUploads()
  const progress = progressOf(queue)
  const { sentBytes } = progress
  const refusedBytes = refusedBytesOf(queue)
  const totalBytes = progress.totalBytes + refusedBytes
  const isUnderWayAny = queue.some(isUnderWay)
  const now = useNow(isUnderWayAny)
  const { online } = useNetwork()
  const isWaiting = isUnderWayAny && (!online || isCutOff(queue))
  const remainingMs = isUnderWayAny && !isWaiting ? uploads.pace.remainingMs(progress, now) : undefined
  if (totalBytes === 0) return null
  const percentOf = (bytes: number): number => Math.round((100 * bytes) / totalBytes)
  const percent = percentOf(sentBytes)
  const sentText = uploadStrings.sentOf(formatBytes(sentBytes), formatBytes(totalBytes))
  return (
    <div>
      <div
        className={styles.bar}
        role="progressbar"
        aria-label={uploadStrings.overall}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuetext={sentText}
      >
        <span style={{ width: `${percent}%` }} />
        {refusedBytes > 0 && <span data-tone="bad" style={{ width: `${percentOf(refusedBytes)}%` }} />}
      </div>
      <p className={styles.hint}>
        {sentText}
        {isWaiting && `, ${uploadStrings.waitingForConnection}`}
        {remainingMs !== undefined && `, ${uploadStrings.remaining(formatDuration(remainingMs))}`}
      </p>
    </div>
  )
}

interface QueueSummaryProps {
  readonly onSend: () => void
  readonly onFill: () => void
}

export function QueueSummary({ onSend, onFill }: QueueSummaryProps) {
  const uploads = useUploads()
  const takeOut = useTakeOut()
  const { queue, isLeading, hasNoRoom, ofOthers } = useUploadsState()
  const counts = countQueue(queue)
  const isRefused = ({ state }: QueuedPhoto): boolean => state === 'refused'
  const retriable = queue.filter((photo) => isRefused(photo) && isWorthRetrying(photo))
  const hopeless = queue.filter(
    (photo) => photo.state === 'unusable' || (isRefused(photo) && !isWorthRetrying(photo)),
  )
  const convertible = queue.filter(
    ({ state, question }) => state === 'asking' && question?.kind !== 'duplicate',
  )
  const underWay = queue.filter(isUnderWay)
  const paused = queue.filter(({ state }) => state === 'paused')
  const done = queue.filter(({ state }) => state === 'done')
  return (
    <section className={styles.summary} aria-label={uploadStrings.summary}>
      <div className={styles.summaryRow}>
        <Counts queue={queue} />
        <div className={styles.summaryButtons}>
          {convertible.length > 1 && (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => uploads.dispatch({ type: 'answered', ids: idsOf(convertible) })}
            >
              {uploadStrings.question.acceptAll(convertible.length)}
            </Button>
          )}
          {retriable.length > 1 && (
            <Button size="compact-sm" variant="default" onClick={() => uploads.retry(idsOf(retriable))}>
              {uploadStrings.retryAll(retriable.length)}
            </Button>
          )}
          {hopeless.length > 1 && (
            <Button size="compact-sm" variant="default" onClick={() => takeOut(idsOf(hopeless))}>
              {uploadStrings.clearFailed(hopeless.length)}
            </Button>
          )}
          {done.length > 0 && (
            <Button size="compact-sm" variant="default" onClick={() => takeOut(idsOf(done))}>
              {uploadStrings.clearDone(done.length)}
            </Button>
          )}
          {counts.ready > 1 && (
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<PencilLine size={16} aria-hidden />}
              onClick={onFill}
            >
              {uploadStrings.fill}
            </Button>
          )}
          {underWay.length > 0 && (
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<Pause size={16} aria-hidden />}
              onClick={() => uploads.dispatch({ type: 'paused', ids: idsOf(underWay) })}
            >
              {uploadStrings.pauseAll}
            </Button>
          )}
          {paused.length > 0 && (
            <Button
              size="compact-sm"
              variant={counts.ready > 0 ? 'default' : 'filled'}
              leftSection={<Play size={16} aria-hidden />}
              onClick={() => uploads.dispatch({ type: 'resumed', ids: idsOf(paused) })}
            >
              {uploadStrings.resumeAll}
            </Button>
          )}
          {counts.ready > 0 && (
            <Button
              size="compact-sm"
              className={styles.send ?? ''}
              leftSection={<Send size={16} aria-hidden />}
              // If it is pressed while a trail is being typed, it must not restore the previous trail and upload to
              // that.
              onMouseDown={(event) => event.preventDefault()}
              onClick={onSend}
            >
              {sendLabel(queue)}
            </Button>
          )}
        </div>
      </div>
      <Overall queue={queue} />
      {underWay.length > 0 && (
        <p className={styles.hint}>{hasNoRoom ? uploadStrings.leaveNot : uploadStrings.leave}</p>
      )}
      {hasNoRoom && underWay.length === 0 && <p className={styles.hint}>{uploadStrings.leaveNot}</p>}
      {!isLeading && <p className={styles.hint}>{uploadStrings.otherTab}</p>}
      {ofOthers > 0 && <p className={styles.hint}>{uploadStrings.ofOthers(ofOthers)}</p>}
      <VisuallyHidden role="status">
        {counts.done > 0 && uploadStrings.announce.done(counts.done)}
        {counts.failed > 0 && ` ${uploadStrings.counts.failed(counts.failed)}`}
      </VisuallyHidden>
    </section>
  )
}
