// One image from another server's list, parsed with the types of the classic surface.
import type { ListedElsewhere } from '../../src/images/pulled/pulled-image.ts'
import { trailImageDetails } from '../../src/shared/classic/classic-shapes.ts'
import type { SaidFields } from './list-file.ts'
import type { LossCode } from './losses.ts'
import { readId, readMoment, readText } from './said-values.ts'

const { caption: captionField, lat: latField, lon: lonField, title: titleField } = trailImageDetails.fields

export interface SaidImage extends ListedElsewhere {
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

function readPlace(said: SaidFields): { lat: string; lon: string; isRead: boolean } {
  const lat = latField.kind.read(said.get('lat') ?? '', 'lat')
  const lon = lonField.kind.read(said.get('lon') ?? '', 'lon')
  const unknown = { lat: '0', lon: '0' }
  if (!lat.ok || !lon.ok) return { ...unknown, isRead: false }
  if ((lat.value === undefined) !== (lon.value === undefined)) return { ...unknown, isRead: false }
  const isZero = [lat.value, lon.value].every((axis) => axis === undefined || !/[1-9]/.test(axis))
  return isZero
    ? { ...unknown, isRead: true }
    : { lat: lat.value ?? '0', lon: lon.value ?? '0', isRead: true }
}

/** @param trailId the trail of the list. */
export function readSaidImage(said: SaidFields, trailId: number): SaidImage | UnreadImage {
  const idText = said.get('imageID') ?? 'without an ID'
  const unread = (code: LossCode, detail?: string): UnreadImage => ({
    id: idText.slice(0, 40),
    code,
    ...(detail !== undefined && { detail }),
  })
  const id = readId(said.get('imageID'))
  if (id === 'too large') return unread('id-too-large')
  if (id === undefined) return unread('not-readable', 'Its imageID is not a whole number.')
  const submitterId = readId(said.get('submitterAcctID'))
  if (submitterId === 'too large') return unread('submitter-id-too-large')
  if (submitterId === undefined) return unread('not-readable', 'Its submitterAcctID is not a whole number.')
  const ofTrail = readId(said.get('trailID')) ?? trailId
  if (ofTrail !== trailId) return unread('other-trail')
  const posted = readMoment(said.get('postDate'))
  if (posted === undefined) return unread('not-readable', 'Its postDate is not a timestamp.')
  const texts = [said.get('title') ?? '', said.get('caption') ?? ''].map(readText)
  const [title, caption] = [titleField, captionField].map(({ kind }, index) =>
    kind.read(texts[index]?.text ?? '', index === 0 ? 'title' : 'caption'),
  )
  if (!title?.ok || !caption?.ok) {
    const wrong = [title, caption].find((reading) => reading?.ok === false)
    return unread('not-readable', wrong?.ok === false ? wrong.fault.detail : undefined)
  }
  const { lat, lon, isRead } = readPlace(said)
  const displayName = said.get('displayName') ?? ''
  const addUser = said.get('addUser')?.trim() ?? ''
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
    email: said.get('email')?.trim() || undefined,
    mimeType: said.get('mimeType') ?? '',
    trailName: said.get('trailName') ?? '',
    slug: said.get('detailUrl')?.trim() ?? '',
    notes: [
      ...(isRead ? [] : ['position-dropped' as const]),
      ...(texts.every(({ isWhole }) => isWhole) ? [] : ['characters-replaced' as const]),
      ...(addUser === '' || addUser === displayName ? [] : ['uploader-differs' as const]),
    ],
  }
}

export const isRead = (image: SaidImage | UnreadImage): image is SaidImage => !('code' in image)
