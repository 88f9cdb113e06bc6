// Locates photos along the line of their trail.
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { trailNamed } from '../../../data/trail-named.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { placingStrings } from '../../../strings/placing.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { trailName } from '../../../ui/fields/trail-name.ts'
import type { ChosenTrail } from '../../../upload/photo.ts'
import type { Queue } from '../../../upload/queue.ts'
import { OnLine } from './on-line.tsx'
import styles from './placing.module.css'

const { line: strings } = placingStrings

interface LineDialogProps {
  /** The photos to locate. */
  readonly photos: Queue
  readonly onClose: () => void
}

interface OfTrailProps extends LineDialogProps {
  readonly trail: ChosenTrail
}

function OfTrail({ trail, photos, onClose }: OfTrailProps) {
  const { data, isError } = useQuery(trailNamed(useWaymark(), trail.slug))
  if (isError) return <Text role="alert">{strings.failed}</Text>
  if (!data) return <Text role="status">{strings.loading}</Text>
  if (data.geometry === null) return <Text role="alert">{strings.noLine(trailName(trail))}</Text>
  const own = photos.filter((photo) => photo.trail?.trailId === trail.trailId)
  return (
    <OnLine photos={own} geometry={data.geometry} otherCount={photos.length - own.length} onClose={onClose} />
  )
}

export function LineDialog({ photos, onClose }: LineDialogProps) {
  const trail = photos.find((photo) => photo.trail !== undefined)?.trail
  return (
    <Dialog title={strings.title} size="xl" onClose={onClose}>
      <div className={styles.dialog}>
        {trail ? (
          <OfTrail trail={trail} photos={photos} onClose={onClose} />
        ) : (
          <Text role="alert">{photos.length === 0 ? strings.noPhotos : strings.noTrail}</Text>
        )}
      </div>
    </Dialog>
  )
}
