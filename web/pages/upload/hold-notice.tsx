// Why nothing is being sent although photos are queued, and how to resume.
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { uploadStrings } from '../../strings/upload.ts'
import { useUploads, useUploadsState } from '../../upload/use-uploads.ts'
import styles from './upload.module.css'

export function HoldNotice() {
  const uploads = useUploads()
  const queries = useQueryClient()
  const { hold, queue } = useUploadsState()
  if (hold === undefined) return null
  const { title, detail, action } = uploadStrings.hold[hold.kind]
  const goOn = (): void => {
    if (hold.kind === 'other-account') return location.reload()
    if (hold.kind === 'other-terms') void queries.invalidateQueries({ queryKey: ['terms'] })
    uploads.release()
    if (hold.kind === 'quota') {
      const paused = queue.filter(({ state }) => state === 'paused').map(({ id }) => id)
      uploads.dispatch({ type: 'resumed', ids: paused })
    }
    return undefined
  }
  return (
    <div className={styles.notice} data-tone="bad" role="alert">
      <p>
        <strong>{title}.</strong> {hold.kind === 'quota' ? hold.detail : detail}
      </p>
      <Button variant="default" size="compact-md" onClick={goOn}>
        {action}
      </Button>
    </div>
  )
}
