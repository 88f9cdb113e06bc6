// The selection: its size, the bulk actions, and which photos were refused and why.
import { Anchor, Button, CloseButton, Group, Text } from '@mantine/core'
import { reviewStrings as strings } from '../../../strings/review.ts'
import { useDesk } from '../desk/desk-context.tsx'
import styles from '../desk/desk.module.css'
import { useActs } from './use-acts.ts'

export function BulkBar() {
  const { reviewSession, bulk, list } = useDesk()
  const acts = useActs()
  const count = list.shown.filter(({ imageID }) => reviewSession.selected.has(imageID)).length
  if (count === 0) return null
  return (
    <Group gap="xs" className={styles.bulk ?? ''} role="group" aria-label={strings.selection.count(count)}>
      <Text fw={600} role="status">
        {strings.selection.count(count)}
      </Text>
      <Button
        size="compact-sm"
        loading={bulk.isBusy}
        rightSection={<kbd>⇧A</kbd>}
        onClick={acts.approveSelected}
      >
        {strings.actions.approve}
      </Button>
      <Button
        size="compact-sm"
        variant="light"
        color="red"
        loading={bulk.isBusy}
        rightSection={<kbd>⇧R</kbd>}
        onClick={acts.rejectSelected}
      >
        {strings.actions.reject}
      </Button>
      <Button size="compact-sm" variant="default" onClick={acts.selectAll}>
        {strings.selection.all}
      </Button>
      <Button size="compact-sm" variant="subtle" onClick={acts.clearSelection}>
        {strings.selection.clear}
      </Button>
    </Group>
  )
}

export function BulkReport() {
  const { bulk, goTo } = useDesk()
  const { report } = bulk
  if (!report) return null
  return (
    <div className={styles.report} role="alert">
      <Group justify="space-between" wrap="nowrap">
        <Text fw={600}>{strings.bulk.refusedTitle(report.done, report.refused.length)}</Text>
        <CloseButton aria-label={strings.bulk.close} onClick={bulk.closeReport} />
      </Group>
      <Text size="sm">{strings.bulk.refusedDetail}</Text>
      <ul>
        {report.refused.map(({ imageID, title, why }) => (
          <li key={imageID}>
            <Anchor component="button" type="button" onClick={() => goTo(imageID)}>
              {title}
            </Anchor>
            : {why}
          </li>
        ))}
      </ul>
    </div>
  )
}
