// Title and caption: current, with changes marked, and editable in place.
import {
  Anchor,
  Button,
  Group,
  Skeleton,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
  VisuallyHidden,
} from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Pencil } from 'lucide-react'
import { useEffect, useRef, useState, type FormEvent, type KeyboardEvent } from 'react'
import { countCharacters } from '../../../../src/shared/text/characters.ts'
import { common } from '../../../strings/common.ts'
import { reviewStrings as strings } from '../../../strings/review.ts'
import { ProblemNotice } from '../../../ui/notices/problem-notice.tsx'
import { useDesk } from '../desk/desk-context.tsx'
import styles from './panel.module.css'
import { titleOf } from '../decisions/refusals.ts'
import { diffWords, type Piece } from './word-diff.ts'
import { useActs } from '../decisions/use-acts.ts'
import { unsavedTexts } from '../decisions/review-session-store.ts'
import type { DeskItem, Texts } from '../decisions/review-session.ts'

/** Maximum number of characters for each of title and caption (contract C5). */
const maxCharacters = 256

function leftOf(text: string): { readonly strings: string; readonly isTooLong: boolean } {
  const left = maxCharacters - countCharacters(text)
  return { strings: left < 0 ? strings.edit.tooLong(-left) : strings.edit.left(left), isTooLong: left < 0 }
}

function EditForm({ item }: { readonly item: DeskItem }) {
  const { decisions, photo, stopEditing } = useDesk()
  const [{ title, caption }, setTexts] = useState<Texts>(unsavedTexts.get(item.imageID) ?? item)
  // The version of the texts when the form was opened: later changes must not be overwritten unseen.
  const [etag] = useState(photo.etag)
  const [state, setState] = useState<{ readonly isBusy: boolean; readonly error?: unknown }>({
    isBusy: false,
  })
  const first = useRef<HTMLInputElement>(null)
  // Opening the form moves the focus there.
  useEffect(() => first.current?.focus(), [])
  const [titleLeft, captionLeft] = [leftOf(title), leftOf(caption)]

  function write(texts: Texts): void {
    unsavedTexts.set(item.imageID, texts)
    setTexts(texts)
  }
  function cancel(): void {
    unsavedTexts.delete(item.imageID)
    stopEditing(item.imageID)
  }
  async function save(event: FormEvent): Promise<void> {
    event.preventDefault()
    setState({ isBusy: true })
    try {
      await decisions.edit(item, { title, caption }, etag)
      cancel()
    } catch (error) {
      setState({ isBusy: false, error })
    }
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    stopEditing(item.imageID)
  }
  return (
    <form onSubmit={(event) => void save(event)}>
      <Stack gap="sm">
        <TextInput
          label={strings.edit.title}
          description={titleLeft.strings}
          error={titleLeft.isTooLong}
          value={title}
          onChange={(event) => write({ title: event.currentTarget.value, caption })}
          ref={first}
          onKeyDown={onKeyDown}
        />
        <Textarea
          label={strings.edit.caption}
          description={captionLeft.strings}
          error={captionLeft.isTooLong}
          value={caption}
          rows={3}
          onKeyDown={onKeyDown}
          onChange={(event) => write({ title, caption: event.currentTarget.value })}
        />
        {state.error !== undefined && <ProblemNotice error={state.error} order={3} />}
        <Group gap="xs">
          <Button
            type="submit"
            loading={state.isBusy}
            disabled={titleLeft.isTooLong || captionLeft.isTooLong}
          >
            {common.save}
          </Button>
          <Button variant="default" onClick={cancel}>
            {common.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Colour alone is not accessible. */
function DifferencePiece({ kind, text }: Pick<Piece, 'kind' | 'text'>) {
  if (kind === 'same') return <span>{text}</span>
  const Tag = kind === 'gone' ? 'del' : 'ins'
  return (
    <Tag>
      <VisuallyHidden>{kind === 'gone' ? strings.edits.gone : strings.edits.added}: </VisuallyHidden>
      {text}
    </Tag>
  )
}

function Difference({
  name,
  before,
  after,
}: {
  readonly name: string
  readonly before: string
  readonly after: string
}) {
  return (
    <div className={styles.difference}>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <p>
        {diffWords(before, after).map((piece) => (
          <DifferencePiece key={piece.at} {...piece} />
        ))}
      </p>
    </div>
  )
}

function Edits({ item }: { readonly item: DeskItem }) {
  const { decisions, photo } = useDesk()
  const [error, setError] = useState<unknown>()
  const edits = item.queue?.edits
  if (!edits || (!edits.title && !edits.caption)) return null
  const { title, caption } = edits
  const before = { title: title?.before ?? item.title, caption: caption?.before ?? item.caption }
  const putBack = (): void => {
    setError(undefined)
    decisions.edit(item, before, photo.etag).catch(setError)
  }
  return (
    <section className={styles.part}>
      <h2>{strings.edits.heading}</h2>
      {title && <Difference name={strings.edits.title} {...title} />}
      {caption && <Difference name={strings.edits.caption} {...caption} />}
      <Button variant="default" size="compact-sm" onClick={putBack}>
        {strings.edits.putBack}
      </Button>
      {error !== undefined && <ProblemNotice error={error} order={3} />}
    </section>
  )
}

export function WordsPart({ item }: { readonly item: DeskItem }) {
  const { isEditing, photo } = useDesk()
  const acts = useActs()
  // Without the ETag of the edited texts, other people's changes would be overwritten.
  if (isEditing) return photo.etag === undefined ? <Skeleton height={220} /> : <EditForm item={item} />
  return (
    <>
      <div>
        <Group justify="space-between" align="flex-start" wrap="nowrap" gap="xs">
          <Title order={2} size="h3" c={item.title.trim() === '' ? 'dimmed' : 'bright'}>
            {titleOf(item)}
          </Title>
          <Button
            className={styles.pencil ?? ''}
            variant="subtle"
            size="compact-sm"
            aria-label={strings.actions.edit}
            onClick={acts.edit}
          >
            <Pencil size={18} aria-hidden />
          </Button>
        </Group>
        {item.caption.trim() !== '' && <Text className={styles.caption ?? ''}>{item.caption}</Text>}
        {/* Navigates within the app, to preserve the session's undo stack and notes. */}
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link to="/i/$imageId" params={{ imageId: String(item.imageID) }} {...props} />
          )}
        >
          {item.trailName}
        </Anchor>
      </div>
      <Edits item={item} />
    </>
  )
}
