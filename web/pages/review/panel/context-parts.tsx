// The flags of the photo, its reports with reasons, and its submitter.
import { Badge, Button, Group, Text } from '@mantine/core'
import { Flag, TriangleAlert } from 'lucide-react'
import type { ReviewFlag } from '../../../../client/client.ts'
import { reviewStrings as strings } from '../../../strings/review.ts'
import { formatAgo, useFormat } from '../../../ui/format.ts'
import { useDesk } from '../desk/desk-context.tsx'
import styles from './panel.module.css'
import { useActs } from '../decisions/use-acts.ts'
import type { DeskItem } from '../decisions/review-session.ts'

interface ItemProps {
  readonly item: DeskItem
}

function useFlagWords(): (flag: ReviewFlag) => string {
  const format = useFormat()
  return ({ code, metres = 0, imageIDs = [] }) => {
    switch (code) {
      case 'far-from-trail':
        return strings.flags.far(format.metres(metres))
      case 'no-position':
        return strings.flags.noPosition
      case 'near-duplicate':
        return strings.flags.alike(imageIDs.length)
      case 'same-bytes':
        return strings.flags.sameBytes(imageIDs.length)
      case 'first-photo':
        return strings.flags.first
    }
  }
}

export function FlagsPart({ item }: ItemProps) {
  const tell = useFlagWords()
  const acts = useActs()
  const flags = item.queue?.flags ?? []
  if (flags.length === 0) return null
  return (
    <section className={styles.part}>
      <h2>{strings.flags.heading}</h2>
      <ul className={styles.flags}>
        {flags.map((flag) => (
          <li key={flag.code} data-flag={flag.code}>
            <TriangleAlert size={18} aria-hidden />
            <span>{tell(flag)}</span>
            {(flag.imageIDs?.length ?? 0) > 0 && (
              <Button variant="default" size="compact-sm" rightSection={<kbd>c</kbd>} onClick={acts.compare}>
                {strings.flags.compare}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

export function ReportsPart({ item }: ItemProps) {
  const acts = useActs()
  const reports = item.queue?.reports
  if (!reports || reports.open === 0) return null
  const { open, items } = reports
  return (
    <section className={styles.part}>
      <h2>{strings.reports.heading(open)}</h2>
      <ul className={styles.flags}>
        {items.map(({ reportID, reason, note, at }) => (
          <li key={reportID}>
            <Flag size={18} aria-hidden />
            <span>
              <strong>{strings.reports.names[reason]}</strong> <small>{formatAgo(at)}</small>
              {note !== '' && <span className={styles.quote}>{note}</span>}
            </span>
          </li>
        ))}
      </ul>
      {open > items.length && (
        <Text size="sm" c="dimmed">
          {strings.reports.more(open - items.length)}
        </Text>
      )}
      <Button variant="default" size="compact-sm" rightSection={<kbd>d</kbd>} onClick={acts.dismiss}>
        {strings.reports.dismiss}
      </Button>
    </section>
  )
}

export function SubmitterPart({ item }: ItemProps) {
  const { choose, view } = useDesk()
  const { submitterID, displayName, queue } = item
  const submitter = queue?.submitter
  return (
    <section className={styles.part}>
      <h2>{strings.submitter.heading}</h2>
      <Group gap="xs">
        <Text fw={600}>{displayName}</Text>
        {submitter && (
          <>
            <Badge variant="light" color="forest" tt="none">
              {strings.submitter.approved(strings.submitter.capped(submitter.approved))}
            </Badge>
            {submitter.rejected > 0 && (
              <Badge variant="light" color="red" tt="none">
                {strings.submitter.rejected(strings.submitter.capped(submitter.rejected))}
              </Badge>
            )}
          </>
        )}
      </Group>
      {submitter?.trusted === true && <Text size="sm">{strings.submitter.trusted}</Text>}
      {queue && (
        <Text size="sm" c="dimmed">
          {strings.submitter.waits(formatAgo(queue.waitingSince))}
        </Text>
      )}
      {view.submitterId !== submitterID && (
        <Button variant="default" size="compact-sm" onClick={() => choose({ submitterId: submitterID })}>
          {strings.submitter.others}
        </Button>
      )}
    </section>
  )
}
