// One image from another server's list, parsed with the types of the classic surface.
import type { ListedElsewhere } from '../../src/images/pulled/pulled-image.ts'
import { trailImageDetails } from '../../src/shared/classic/classic-shapes.ts'
import type { ListedFields } from './list-file.ts'
import type { LossCode } from './losses.ts'
import { readId, readText, readTimestamp } from './listed-values.ts'

const { caption: captionField, lat: latField, lon: lonField, title: titleField } = trailImageDetails.fields

export interface ListedImage extends ListedElsewhere {
  readonly displayName: string
  /** Only XML contains it, and only for some callers. */
  readonly email: string | undefined
  readonly mimeType: string
  readonly trailName: string
  readonly slug: string
  /** Codes for what is lost of it. */
  readonly notes: readonly LossCode[]
}

export interface UnreadImage {
  /** As it was written. */
  readonly id: string
  readonly code: LossCode
  readonly detail?: string
}

function readPlace(fields: ListedFields): { lat: string; lon: string; isRead: boolean } {
  const lat = latField.kind.read(fields.get('lat') ?? '', 'lat')
  const lon = lonField.kind.read(fields.get('lon') ?? '', 'lon')
  const unknown = { lat: '0', lon: '0' }
  if (!lat.ok || !lon.ok) return { ...unknown, isRead: false }
  if ((lat.value === undefined) !== (lon.value === undefined)) return { ...unknown, isRead: false }
  const isZero = [lat.value, lon.value].every((axis) => axis === undefined || !/[1-9]/.test(axis))
  return isZero
    ? { ...unknown, isRead: true }
    : { lat: lat.value ?? '0', lon: lon.value ?? '0', isRead: true }
}

/** @param trailId the trail of the list. */
export function readListedImage(fields: ListedFields, trailId: number): ListedImage | UnreadImage {
  const idText = fields.get('imageID') ?? 'without an ID'
  const unread = (code: LossCode, detail?: string): UnreadImage => ({
    id: idText.slice(0, 40),
    code,
    ...(detail !== undefined && { detail }),
  })
  const id = readId(fields.get('imageID'))
  if (id === 'too large') return unread('id-too-large')
  if (id === undefined) return unread('not-readable', 'Its imageID is not a whole number.')
  const submitterId = readId(fields.get('submitterAcctID'))
  if (submitterId === 'too large') return unread('submitter-id-too-large')
  if (submitterId === undefined) return unread('not-readable', 'Its submitterAcctID is not a whole number.')
  const ofTrail = readId(fields.get('trailID')) ?? trailId
  if (ofTrail !== trailId) return unread('other-trail')
  const posted = readTimestamp(fields.get('postDate'))
  if (posted === undefined) return unread('not-readable', 'Its postDate is not a timestamp.')
  const texts = [fields.get('title') ?? '', fields.get('caption') ?? ''].map(readText)
  const [title, caption] = [titleField, captionField].map(({ kind }, index) =>
    kind.read(texts[index]?.text ?? '', index === 0 ? 'title' : 'caption'),
  )
  if (!title?.ok || !caption?.ok) {
    const wrong = [title, caption].find((reading) => reading?.ok === false)
    return unread('not-readable', wrong?.ok === false ? wrong.fault.detail : undefined)
  }
  const { lat, lon, isRead } = readPlace(fields)
  const displayName = fields.get('displayName') ?? ''
  const addUser = fields.get('addUser')?.trim() ?? ''
  return {
    id,
    trailId,
    submitterId,
    title: title.value ?? '',
    caption: caption.value ?? '',
    lat,
    lon,
    postedAt: posted.at,
    displayName,
    email: fields.get('email')?.trim() || undefined,
    mimeType: fields.get('mimeType') ?? '',
    trailName: fields.get('trailName') ?? '',
    slug: fields.get('detailUrl')?.trim() ?? '',
    notes: [
      ...(isRead ? [] : ['position-dropped' as const]),
      ...(texts.every(({ isWhole }) => isWhole) ? [] : ['characters-replaced' as const]),
      ...(addUser === '' || addUser === displayName ? [] : ['uploader-differs' as const]),
    ],
  }
}

export const isRead = (image: ListedImage | UnreadImage): image is ListedImage => !('code' in image)
