// Near duplicates, side by side or toggled in place, so that differences stand out.
import { Button, Group, Modal, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState, type KeyboardEvent, type PointerEvent } from 'react'
import type { Image } from '../../../../client/client.ts'
import { keys } from '../../../data/keys.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { common } from '../../../strings/common.ts'
import { reviewStrings as strings } from '../../../strings/review.ts'
import { formatBytes, formatDay } from '../../../ui/format.ts'
import { ProblemNotice } from '../../../ui/notices/problem-notice.tsx'
import type { Shortcut } from '../../../ui/keys/shortcut-registry.ts'
import { useShortcuts } from '../../../ui/keys/shortcuts.tsx'
import { noOf, yesOf } from '../decisions/decisions-here.ts'
import { useDesk } from '../desk/desk-context.tsx'
import styles from '../decisions/dialogs.module.css'
import { titleOf } from '../decisions/refusals.ts'
import type { DeskItem } from '../decisions/review-session.ts'
import { nearDuplicatesOf, useActs } from '../decisions/use-acts.ts'

function Side({
  image,
  heading,
  over,
}: {
  readonly image: Image
  readonly heading: string
  readonly over?: Image | undefined
}) {
  const waymark = useWaymark()
  const { imageID, displayName, postedAt, width, height, bytes, status } = image
  return (
    <figure className={styles.side}>
      <div className={styles.picture}>
        <img src={waymark.images.url(imageID, '640', 'webp')} alt={`${heading}: ${titleOf(image)}`} />
        {over && (
          <img
            src={waymark.images.url(over.imageID, '640', 'webp')}
            alt={`${strings.compare.other}: ${titleOf(over)}`}
          />
        )}
      </div>
      <figcaption>
        <Text fw={600}>{heading}</Text>
        <Text size="sm">{titleOf(image)}</Text>
        <Text size="sm" c="dimmed">
          {strings.compare.by(displayName, formatDay(postedAt))}
        </Text>
        <Text size="sm" c="dimmed">
          {strings.facts.statuses[status]}, {strings.facts.pixelsOf(String(width), String(height))},{' '}
          {formatBytes(bytes)}
        </Text>
      </figcaption>
    </figure>
  )
}

export function Compare({ item }: { readonly item: DeskItem }) {
  const waymark = useWaymark()
  const { setDialog } = useDesk()
  const [at, setAt] = useState(0)
  const [isOver, setOver] = useState(false)
  const ids = nearDuplicatesOf(item)
  const otherId = ids[at] ?? 0
  const { data: other, error } = useQuery({
    queryKey: keys.image(otherId),
    queryFn: () => waymark.images.get(otherId),
    enabled: otherId !== 0,
  })
  const step = (by: 1 | -1): void => setAt((before) => (before + by + ids.length) % ids.length)
  const close = (): void => setDialog(undefined)
  const acts = useActs()
  const { keyLabels, actions } = strings
  /** Decides on this photo, not on the other one; an action with a question replaces this dialog. */
  const decide = (act: () => void) => (): void => {
    close()
    act()
  }
  const decision = (pressed: string, label: string, act: () => void): Shortcut => ({
    keys: pressed,
    label,
    // Without this, a held key would decide on the next photo as well.
    run: ({ repeat }) => !repeat && decide(act)(),
  })
  const yes = yesOf(item)
  const no = noOf(item)
  useShortcuts(strings.compare.title, [
    { keys: 'c', label: common.close, run: close },
    { keys: 'f', label: strings.compare.flick, run: () => setOver((before) => !before) },
    decision('a', keyLabels.approve, acts.yes),
    decision('r', keyLabels.reject, acts.reject),
    decision('x', keyLabels.remove, acts.remove),
    decision('s', keyLabels.skip, acts.skip),
    ...(ids.length > 1
      ? [
          { keys: 'ArrowRight', label: strings.compare.next, run: () => step(1) },
          { keys: 'ArrowLeft', label: strings.compare.previous, run: () => step(-1) },
        ]
      : []),
  ])
  const hold = {
    onPointerDown: (event: PointerEvent<HTMLButtonElement>): void => {
      event.currentTarget.setPointerCapture(event.pointerId)
      setOver(true)
    },
    onPointerUp: () => setOver(false),
    onPointerCancel: () => setOver(false),
    onKeyDown: ({ key }: KeyboardEvent) => (key === ' ' || key === 'Enter') && setOver(true),
    onKeyUp: () => setOver(false),
    onBlur: () => setOver(false),
  }
  return (
    <Modal
      opened
      onClose={close}
      size="80rem"
      title={strings.compare.title}
      closeButtonProps={{ 'aria-label': common.close }}
      transitionProps={{ duration: 0 }}
    >
      {error && <ProblemNotice error={error} order={3} />}
      <div className={styles.sides}>
        <Side image={item} heading={strings.compare.this} over={isOver ? other : undefined} />
        {other ? (
          <Side image={other} heading={strings.compare.other} />
        ) : (
          <Skeleton className={styles.picture ?? ''} />
        )}
      </div>
      <Group mt="sm" gap="sm">
        <Button variant="default" disabled={!other} data-autofocus {...hold}>
          {strings.compare.hold} <kbd className={styles.key}>f</kbd>
        </Button>
        {ids.length > 1 && (
          <>
            <Button variant="default" onClick={() => step(-1)}>
              {strings.compare.previous}
            </Button>
            <Button variant="default" onClick={() => step(1)}>
              {strings.compare.next}
            </Button>
            <Text size="sm">{strings.compare.which(at + 1, ids.length)}</Text>
          </>
        )}
        {yes !== undefined && (
          <Button onClick={decide(acts.yes)}>
            {item.edited && yes === 'approve' ? actions.approveEdit : actions[yes]}{' '}
            <kbd className={styles.key}>a</kbd>
          </Button>
        )}
        {no !== undefined && (
          <Button variant="default" onClick={decide(acts.no)}>
            {actions[no]} <kbd className={styles.key}>{no === 'reject' ? 'r' : 'x'}</kbd>
          </Button>
        )}
        <Button variant="default" onClick={decide(acts.skip)}>
          {actions.skip} <kbd className={styles.key}>s</kbd>
        </Button>
        {other?.sha256 === item.sha256 && <Text size="sm">{strings.compare.same}</Text>}
      </Group>
    </Modal>
  )
}
