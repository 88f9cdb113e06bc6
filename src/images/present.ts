// The one place where an image's row becomes an answer: classic details in JSON and XML, and the v2 image.
import {
  anonymous,
  maySeeEmail,
  momentShownTo,
  type Actor,
  type GuardedImage,
  type TakenAtSetting,
} from '../auth/guard.ts'
import { trailImageDetails, type TrailImageDetails } from '../shared/classic/classic-shapes.ts'
import { imageSizes } from '../shared/image-sizes.ts'
import { writeJson } from '../shared/json/json.ts'
import type { Image as V2Image } from '../shared/v2/schemas.ts'
import { writeXml } from '../shared/xml/xml.ts'
import { refuse } from '../errors.ts'
import { openFields, takenFields } from './capture/capture-fields.ts'
import type { Image } from './image-table.ts'

export interface PresentSettings {
  readonly imageHandlerUrl: string
  /** Setting XML_EMAIL. */
  readonly xmlEmail: 'permitted' | 'always'
  /** Setting TAKEN_AT. */
  readonly takenAt: TakenAtSetting
}

/** What the classic details show. */
export type DetailedImage = Pick<
  Image,
  | 'id'
  | 'trailId'
  | 'trailName'
  | 'trailSlug'
  | 'submitterId'
  | 'displayName'
  | 'email'
  | 'title'
  | 'caption'
  | 'lat'
  | 'lon'
  | 'mimeType'
  | 'postedAt'
>

export type ListedForm = 'json' | 'xml' | 'xml-with-email'

/** What v2 shows. */
export type ShownImage = Omit<Image, 'trailSlug' | 'email'>

/** An image for all callers: the parts that depend on the caller are at the end. */
export interface V2Texts {
  readonly start: string
  readonly exact: string
  readonly otherwise: string
}

const isPlaced = ({ lat, lon }: Pick<Image, 'lat' | 'lon'>): boolean => lat !== '0' || lon !== '0'

/** The v2 form of an image in any state and for any caller: for responses, and for data exports. */
export function imageFields(image: ShownImage) {
  const isKnown = isPlaced(image)
  return {
    imageID: image.id,
    trailID: image.trailId,
    trailName: image.trailName,
    submitterID: image.submitterId,
    displayName: image.displayName,
    title: image.title,
    caption: image.caption,
    status: image.state,
    edited: image.acceptedTitle !== null,
    lat: isKnown ? Number(image.lat) : null,
    lon: isKnown ? Number(image.lon) : null,
    mimeType: image.mimeType,
    width: image.width,
    height: image.height,
    bytes: image.bytes,
    sha256: image.sha256,
    licence: image.licence,
    termsVersion: image.termsVersion,
    postedAt: new Date(image.postedAt).toISOString(),
    updatedAt: new Date(image.updatedAt).toISOString(),
  }
}

export function createPresent({ imageHandlerUrl, xmlEmail, takenAt }: PresentSettings) {
  /** C40: the address is shown in XML alone. */
  const mayShowEmail = (actor: Actor, image: GuardedImage): boolean =>
    xmlEmail === 'always' || maySeeEmail(actor, image)

  function detailsOf(image: DetailedImage, isEmailShown: boolean): TrailImageDetails {
    return {
      addUser: image.displayName,
      caption: image.caption,
      detailUrl: image.trailSlug,
      displayName: image.displayName,
      email: isEmailShown ? image.email : '',
      imageID: image.id,
      lat: image.lat,
      lon: image.lon,
      mimeType: image.mimeType,
      postDate: image.postedAt,
      submitterAcctID: image.submitterId,
      title: image.title,
      trailID: image.trailId,
      trailName: image.trailName,
    }
  }

  function details(actor: Actor, image: Image, format: 'json' | 'xml'): string {
    const value = detailsOf(image, mayShowEmail(actor, image))
    return format === 'json' ? writeJson(trailImageDetails, value) : writeXml(trailImageDetails, value)
  }

  /** Everything that does not depend on the caller. */
  function commonOf(image: ShownImage) {
    const { status, ...fields } = imageFields(image)
    if (status === 'deleted') throw refuse('invalid-image-id')
    const urls: Record<string, string> = {}
    for (const size of imageSizes) urls[size] = `${imageHandlerUrl}?id=${image.id}&t=${size}`
    const { milesAlong } = image
    return {
      ...fields,
      milesAlong,
      status,
      urls: urls as V2Image['urls'],
      ...openFields(image, isPlaced(image)),
    }
  }

  const shownTo = (actor: Actor, image: GuardedImage): TakenAtSetting => momentShownTo(actor, image, takenAt)

  const v2Image = (actor: Actor, image: ShownImage): V2Image => ({
    ...commonOf(image),
    ...takenFields(image, isPlaced(image), shownTo(actor, image)),
  })

  return {
    details,

    mayShowEmail,

    /** The image as it appears in the list of its trail; `xml-with-email` is for callers who `mayShowEmail`. */
    listed: (image: DetailedImage, form: ListedForm): string => {
      const value = detailsOf(image, form === 'xml-with-email')
      return form === 'json' ? writeJson(trailImageDetails, value) : writeXml(trailImageDetails, value)
    },

    v2Image,

    /** The JSON of `v2Image` without its end, and its possible ends: what is cached of an image for all callers. */
    v2Texts: (image: ShownImage): V2Texts => {
      const endOf = (shown: TakenAtSetting): string =>
        JSON.stringify(takenFields(image, isPlaced(image), shown)).replace('{', ',')
      return {
        start: JSON.stringify(commonOf(image)).slice(0, -1),
        exact: endOf('exact'),
        otherwise: endOf(takenAt),
      }
    },

    /** Of an image whose texts are cached. */
    v2Text: (actor: Actor, image: GuardedImage, { start, exact, otherwise }: V2Texts): string =>
      start + (shownTo(actor, image) === 'exact' ? exact : otherwise),

    /** Every body that a GET of the image may have returned to this actor, to compare with If-Match. */
    representations: (actor: Actor, image: Image): string[] => [
      details(actor, image, 'json'),
      details(actor, image, 'xml'),
      JSON.stringify(v2Image(actor, image)),
      // Read with an API key, without the email address and the time.
      details(anonymous, image, 'xml'),
      JSON.stringify(v2Image(anonymous, image)),
    ],
  }
}

export type Present = ReturnType<typeof createPresent>
