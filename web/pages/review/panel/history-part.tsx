// The history of the photo: every status change, by whom, with notes; can be exported to a file.
import { Button, Group, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { keys } from '../../../data/keys.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { reviewStrings as strings } from '../../../strings/review.ts'
import { formatDateTime } from '../../../ui/format.ts'
import { ProblemNotice } from '../../../ui/notices/problem-notice.tsx'
import { saveFile } from '../../../ui/save-file.ts'
import { useDesk } from '../desk/desk-context.tsx'
import { historyCsv, historyJson } from './history-file.ts'
import styles from './panel.module.css'
import { readHistory } from '../decisions/refusals.ts'

function Timeline({ imageId }: { readonly imageId: number }) {
  const waymark = useWaymark()
  const { data, error, refetch } = useQuery({
    queryKey: [...keys.image(imageId), 'history'],
    queryFn: () => readHistory(waymark, imageId),
  })
  if (!data)
    return error ? (
      <ProblemNotice error={error} order={3} onRetry={() => void refetch()} />
    ) : (
      <Skeleton height={80} />
    )
  const name = `photo-${imageId}-history`
  return (
    <>
      <ol className={styles.timeline}>
        {data.map(({ position, at, actor, from, to, reason, reasonLabel, note }) => (
          <li key={position} data-to={to}>
            <Text size="sm" fw={600}>
              {from === null ? strings.history.uploaded : strings.history.moves[to]}
            </Text>
            <Text size="sm" c="dimmed">
              {formatDateTime(at)}, {actor?.displayName ?? strings.history.unknown}
            </Text>
            {reason !== null && <Text size="sm">{reasonLabel ?? reason}</Text>}
            {note !== null && note !== '' && <span className={styles.quote}>{note}</span>}
          </li>
        ))}
      </ol>
      <Group gap="xs">
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<Download size={16} aria-hidden />}
          onClick={() => saveFile(`${name}.json`, 'application/json', historyJson(imageId, data))}
        >
          {strings.history.json}
        </Button>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<Download size={16} aria-hidden />}
          onClick={() => saveFile(`${name}.csv`, 'text/csv;charset=utf-8', historyCsv(imageId, data))}
        >
          {strings.history.csv}
        </Button>
      </Group>
    </>
  )
}

export function HistoryPart({ imageId }: { readonly imageId: number }) {
  const { hasHistory, setHistory } = useDesk()
  return (
    <section className={styles.part}>
      <h2>
        <button
          type="button"
          className={styles.fold}
          aria-expanded={hasHistory}
          onClick={() => setHistory((before) => !before)}
        >
          {strings.history.heading} <kbd>h</kbd>
        </button>
      </h2>
      {hasHistory && <Timeline imageId={imageId} />}
    </section>
  )
}
