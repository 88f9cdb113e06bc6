// A question to answer before a photo can be uploaded, in one sentence that says what will be changed.
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useSite } from '../../data/site.ts'
import { uploadStrings } from '../../strings/upload.ts'
import { formatBytes } from '../../ui/format.ts'
import type { QueuedPhoto } from '../../upload/photo.ts'
import { useUploads } from '../../upload/use-uploads.ts'
import styles from './upload.module.css'

const { question: strings } = uploadStrings

function sentence({ question, facts, bytes }: QueuedPhoto, maxBytes: number): string {
  if (question?.kind === 'convert') return strings.convert((facts?.kind ?? '').toUpperCase())
  if (question?.kind === 'shrink') {
    return question.why === 'pixels'
      ? strings.shrinkPixels
      : strings.shrinkBytes(formatBytes(bytes), formatBytes(maxBytes))
  }
  if (question?.kind !== 'duplicate') return ''
  return question.of === 'queue'
    ? strings.twice(question.name)
    : strings.sentBefore(uploadStrings.status[question.status] ?? '')
}

export function PhotoQuestion({ photo }: { readonly photo: QueuedPhoto }) {
  const uploads = useUploads()
  const { maxImageBytes } = useSite()
  const { id, question, name } = photo
  if (!question) return null
  const accept = strings.accept[question.kind]
  return (
    <>
      <p className={styles.told}>{sentence(photo, maxImageBytes)}</p>
      <div className={styles.buttons}>
        <Button
          size="compact-sm"
          aria-label={`${accept}: ${name}`}
          onClick={() => uploads.dispatch({ type: 'answered', ids: [id] })}
        >
          {accept}
        </Button>
        {question.kind === 'duplicate' && question.of === 'sent' && (
          <Link to="/photos" search={{ photo: String(question.imageId) }}>
            {strings.look}
          </Link>
        )}
      </div>
    </>
  )
}
