// The one place where an image's row becomes an answer: classic details in JSON and XML, and the v2 image.
import { maySeeEmail, type Actor, type GuardedImage } from '../auth/guard.ts'
import { trailImageDetails, type TrailImageDetails } from '../shared/classic/classic-shapes.ts'
import { imageSizes } from '../shared/image-sizes.ts'
import { writeJson } from '../shared/json/json.ts'
import type { Image as V2Image } from '../shared/v2/schemas.ts'
import { writeXml } from '../shared/xml/xml.ts'
import { refuse } from '../errors.ts'
import type { Image } from './image-table.ts'

export interface PresentSettings {
  readonly imageHandlerUrl: string
  /** Setting XML_EMAIL. */
  readonly xmlEmail: 'permitted' | 'always'
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

/** What v2 tells of an image in whatever state: its answers, and the export of one's own data. */
export function imageFields(image: ShownImage) {
  const isPlaced = image.lat !== '0' || image.lon !== '0'
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
    lat: isPlaced ? Number(image.lat) : null,
    lon: isPlaced ? Number(image.lon) : null,
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

export function createPresent({ imageHandlerUrl, xmlEmail }: PresentSettings) {
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

  function v2Image(image: ShownImage): V2Image {
    const { status, ...fields } = imageFields(image)
    if (status === 'deleted') throw refuse('invalid-image-id')
    const urls: Record<string, string> = {}
    for (const size of imageSizes) urls[size] = `${imageHandlerUrl}?id=${image.id}&t=${size}`
    return { ...fields, status, urls: urls as V2Image['urls'] }
  }

  return {
    details,

    mayShowEmail,

    /** The image as it stands in the list of its trail; `xml-with-email` is for whoever `mayShowEmail`. */
    listed: (image: DetailedImage, form: ListedForm): string => {
      const value = detailsOf(image, form === 'xml-with-email')
      return form === 'json' ? writeJson(trailImageDetails, value) : writeXml(trailImageDetails, value)
    },

    v2Image,

    /** Every body that a GET of the image may have given this actor: what If-Match is held against. */
    representations: (actor: Actor, image: Image): string[] => [
      details(actor, image, 'json'),
      details(actor, image, 'xml'),
      details({ kind: 'anonymous' }, image, 'xml'), // read with an API key, without the email address
      JSON.stringify(v2Image(image)),
    ],
  }
}

export type Present = ReturnType<typeof createPresent>
