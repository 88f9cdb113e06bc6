// Title and caption of a photo, with the remaining number of their 256 characters.
import { Textarea, TextInput } from '@mantine/core'
import { countCharacters } from '../../../src/shared/text/characters.ts'
import { uploadStrings } from '../../strings/upload.ts'
import { isTooLong, maxCharacters } from '../../upload/patterns.ts'
import { isEditable, type QueuedPhoto } from '../../upload/photo.ts'
import { useUploads } from '../../upload/use-uploads.ts'
import styles from './upload.module.css'

const { row } = uploadStrings

export const titleFieldId = (id: string): string => `title-${id}`

function Counter({ text }: { readonly text: string }) {
  const count = countCharacters(text.trim())
  return (
    <small aria-hidden>
      {count}/{maxCharacters}
    </small>
  )
}

const errorOf = (text: string): string | undefined =>
  isTooLong(text) ? row.tooLong(countCharacters(text.trim()), maxCharacters) : undefined

export function PhotoTextFields({ photo }: { readonly photo: QueuedPhoto }) {
  const uploads = useUploads()
  const { id, name, title, caption } = photo
  if (!isEditable(photo)) return title === '' ? null : <p className={styles.hint}>{title}</p>
  const edit = (texts: { readonly title: string } | { readonly caption: string }): void =>
    uploads.dispatch({ type: 'edited', ids: [id], texts })
  return (
    <div className={styles.texts}>
      <TextInput
        id={titleFieldId(id)}
        size="sm"
        aria-label={row.titleOf(name)}
        placeholder={row.title}
        value={title}
        error={errorOf(title)}
        rightSection={<Counter text={title} />}
        rightSectionWidth={62}
        onChange={({ currentTarget }) => edit({ title: currentTarget.value })}
      />
      <Textarea
        size="sm"
        rows={1}
        aria-label={row.captionOf(name)}
        placeholder={row.caption}
        value={caption}
        error={errorOf(caption)}
        rightSection={<Counter text={caption} />}
        rightSectionWidth={62}
        onChange={({ currentTarget }) => edit({ caption: currentTarget.value })}
      />
    </div>
  )
}
