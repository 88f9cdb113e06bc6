// Other reviewers' work: a claim on the current photo, or a decision on it in the meantime.
import { Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Eye, UserCheck } from 'lucide-react'
import { keys } from '../../../data/keys.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { reviewStrings as strings } from '../../../strings/review.ts'
import { formatAgo } from '../../../ui/format.ts'
import { useDesk } from './desk-context.tsx'
import { isWaitingView } from './desk-view.ts'
import styles from '../panel/panel.module.css'
import { readHistory } from '../decisions/refusals.ts'
import { useActs } from '../decisions/use-acts.ts'
import { locale } from '../../../strings/language.ts'

const hourOf = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
const timeOf = (moment: string): string => hourOf.format(new Date(moment))

export function ClaimNotice() {
  const { claim } = useDesk()
  const acts = useActs()
  if (claim.by === 'nobody') return null
  if (claim.by === 'me') {
    return (
      <Text size="sm" c="dimmed" className={styles.claim ?? ''} title={strings.claim.mineHint}>
        <UserCheck size={16} aria-hidden /> {strings.claim.mine(timeOf(claim.until))}
      </Text>
    )
  }
  return (
    <div className={styles.notice} role="status">
      <Text fw={600}>
        <Eye size={18} aria-hidden /> {strings.claim.other(claim.displayName ?? strings.somebody)}
      </Text>
      {claim.until !== undefined && <Text size="sm">{strings.claim.otherHint(timeOf(claim.until))}</Text>}
      <Button variant="default" size="compact-sm" rightSection={<kbd>t</kbd>} onClick={acts.takeOver}>
        {strings.claim.takeOver}
      </Button>
    </div>
  )
}

/** If the current photo has left the list: who did what, and a button to continue. Nothing moves by itself. */
export function ElsewhereNotice() {
  const { photo, view, step, reviewSession } = useDesk()
  const waymark = useWaymark()
  const { item, isElsewhere } = photo
  const isShown = item !== undefined && isElsewhere && isWaitingView(view.show) && item.status !== 'pending'
  const imageId = item?.imageID ?? 0
  const { data } = useQuery({
    queryKey: [...keys.image(imageId), 'history'],
    queryFn: () => readHistory(waymark, imageId),
    enabled: isShown,
  })
  const last = data?.at(-1)
  if (!isShown || item.queue === undefined || reviewSession.settled.has(imageId)) return null
  return (
    <div className={styles.notice} role="status">
      <Text fw={600}>
        {last?.actor
          ? strings.elsewhere.decided(last.actor.displayName, strings.did[last.to], formatAgo(last.at))
          : strings.elsewhere.left}
      </Text>
      <Group gap="xs">
        <Button variant="default" size="compact-sm" rightSection={<kbd>j</kbd>} onClick={() => step(1)}>
          {strings.elsewhere.goOn}
        </Button>
      </Group>
    </div>
  )
}
