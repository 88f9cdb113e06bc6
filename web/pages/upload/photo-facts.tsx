// The file's metadata before the upload: location, time, camera, size; and the trail it goes to.
import { Camera, Clock, MapPin, MapPinOff, Route, Scan } from 'lucide-react'
import { placingStrings } from '../../strings/placing.ts'
import { uploadStrings } from '../../strings/upload.ts'
import { formatBytes, formatDateTime, formatPosition, useFormat } from '../../ui/format.ts'
import { trailName } from '../../ui/fields/trail-name.ts'
import type { QueuedPhoto } from '../../upload/photo.ts'
import { isPlaceless } from '../../upload/placeless.ts'
import { placeOf } from '../../upload/queue-view.ts'
import styles from './upload.module.css'

const { facts: strings } = uploadStrings
const { source } = placingStrings
const size = 14

/** The source of the photo's location. */
function useSourceOf({ position }: QueuedPhoto): string {
  const { metres } = useFormat()
  if (position.from !== 'person') return strings.placeFromFile
  const { by = 'given', accuracyMetres = 0 } = position
  if (by === 'device') return source.device(metres(accuracyMetres))
  return by === 'given' ? strings.placeByHand : source[by]
}

function Place({ photo }: { readonly photo: QueuedPhoto }) {
  const place = placeOf(photo)
  const { from } = photo.position
  const sourceText = useSourceOf(photo)
  // Its row explains it in a sentence.
  if (isPlaceless(photo)) return null
  if (place === undefined) {
    return (
      <span>
        <MapPinOff size={size} aria-hidden />
        {from === 'nobody' ? `${strings.place} ${strings.placeHidden}` : strings.noPlace}
      </span>
    )
  }
  return (
    <span>
      <MapPin size={size} aria-hidden />
      {formatPosition(place.lat, place.lon)} ({sourceText})
    </span>
  )
}

export function PhotoFactsLine({ photo }: { readonly photo: QueuedPhoto }) {
  const { facts, bytes, trail, original, position } = photo
  /** By the corrected clock, if there is a correction. */
  const takenAt = (position.from === 'person' ? position.takenAt : undefined) ?? facts?.takenAt
  return (
    <p className={styles.facts}>
      {trail && (
        <span>
          <Route size={size} aria-hidden />
          {trailName(trail)}
        </span>
      )}
      {facts && <Place photo={photo} />}
      {takenAt !== undefined && (
        <span>
          <Clock size={size} aria-hidden />
          {/* The camera's own clock, whatever the browser's time zone. */}
          {formatDateTime(takenAt.slice(0, 19))}
        </span>
      )}
      {facts?.camera !== undefined && (
        <span>
          <Camera size={size} aria-hidden />
          {facts.camera}
        </span>
      )}
      <span>
        <Scan size={size} aria-hidden />
        {facts?.width !== undefined && facts.height !== undefined ? `${facts.width} × ${facts.height}, ` : ''}
        {formatBytes(bytes)}
      </span>
      {original && photo.state !== 'converting' && (
        <span>
          {uploadStrings.converted(
            original.kind.toUpperCase(),
            formatBytes(original.bytes),
            formatBytes(bytes),
          )}
        </span>
      )}
    </p>
  )
}
