// Photos: lists, one, upload, details, trash, history, reports and addresses.
import { pagesOf, pagesOfEach, type Pages, type PagesOfEach } from './paging.ts'
import type { ChangeOptions, MakeOptions } from './trails.ts'
import type { CallOptions, Transport } from './transport.ts'
import type {
  Bbox,
  HistoryEntry,
  Image,
  ImageAlong,
  ImageDetails,
  ImageGeoJson,
  ImagePatch,
  ImagesAlong,
  ImageSize,
  MadeReport,
  NewReport,
  Sent,
  TakenMonths,
  TrashedImage,
} from './types.ts'
import { uploadPhoto, type Progress } from './upload.ts'

export interface GeoJsonFilters {
  readonly bbox: Bbox
  /** Taken on this day or later, such as 2026-05-14, in local time at the place. */
  readonly takenFrom: string
  /** Taken on this day or earlier. */
  readonly takenTo: string
}

export interface TrailImageFilters extends GeoJsonFilters {
  /** Posted at or after this time. */
  readonly since: string | Date
}

export interface OnTrailFilters extends TrailImageFilters {
  /** By upload (the default), by date taken, or by position along the trail. */
  readonly order: 'posted' | 'taken' | 'along'
}

export interface ImageFilters extends TrailImageFilters {
  readonly status: Image['status']
  readonly trailID: number
  readonly submitterID: number
}

export interface UploadOptions extends MakeOptions {
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** The version of the terms that the user saw, null for none; 409 `other-terms` if another version is current. */
  readonly termsVersion?: string | null | undefined
}

export function createImageCalls(transport: Transport) {
  const { request } = transport
  const onTrail: PagesOfEach<OnTrailFilters, Image> = pagesOfEach(
    transport,
    (trailID) => `/v2/trails/${trailID}/images`,
  )
  const own: Pages<ImageFilters, Image> = pagesOf(transport, '/v2/images')
  const trash: Pages<object, TrashedImage> = pagesOf(transport, '/v2/trash')
  const history: PagesOfEach<object, HistoryEntry> = pagesOfEach(
    transport,
    (imageID) => `/v2/images/${imageID}/history`,
  )

  return {
    /** Your own photos in every state; for staff, all photos. */
    ...own,
    /** The public photos of a trail. */
    onTrail,
    /** Number of these photos per month taken, oldest month first. */
    months: async (trailID: number, options?: CallOptions) => {
      const { months } = await request<TakenMonths>('GET', `/v2/trails/${trailID}/images/months`, options)
      return months
    },
    /**
     * Positions along the trail of the photos within 100 m of it, in trail order. If there are very many, an even
     * sample.
     */
    along: async (trailID: number, options?: CallOptions): Promise<readonly ImageAlong[]> => {
      const { images } = await request<ImagesAlong>('GET', `/v2/trails/${trailID}/images/along`, options)
      return images
    },
    trash,
    get: (imageID: number, options?: CallOptions) => request<Image>('GET', `/v2/images/${imageID}`, options),
    /** The same, with the ETag that `change` and `review.decide` take as `ifMatch`. */
    getWithEtag: (imageID: number, options?: CallOptions) =>
      transport.send<Image>('GET', `/v2/images/${imageID}`, options),
    /**
     * Uploads a photo with its details; both are stored or neither is. Retries after a lost connection use the same
     * Idempotency-Key, so no second photo is created.
     */
    upload: (trailID: number, file: Blob, details?: ImageDetails, options: UploadOptions = {}) => {
      const { termsVersion } = options
      const sent = termsVersion === undefined ? details : { ...details, termsVersion }
      return uploadPhoto(transport, {
        path: `/v2/trails/${trailID}/images`,
        file,
        details: sent,
        ...options,
      })
    },
    change: (imageID: number, patch: ImagePatch, options?: ChangeOptions) =>
      request<Image>('PATCH', `/v2/images/${imageID}`, { ...options, body: patch }),
    /** Moves it to the trash for 30 days. */
    remove: (imageID: number, options?: ChangeOptions) =>
      request<void>('DELETE', `/v2/images/${imageID}`, options),
    restore: (imageID: number, options?: CallOptions) =>
      request<Image>('POST', `/v2/images/${imageID}/restore`, options),
    /** The history of the photo, newest first. */
    history,
    /** The file as uploaded, for its submitter and for admins: a response whose body can be streamed. */
    original: (imageID: number, options?: CallOptions) =>
      request<Response>('GET', `/v2/images/${imageID}/original`, { ...options, as: 'response' }),
    report: (imageID: number, report: NewReport, options?: CallOptions) =>
      request<MadeReport>('POST', `/v2/images/${imageID}/reports`, { ...options, body: report }),
    geojson: (trailID: number, filters?: Sent<Partial<GeoJsonFilters>>, options?: CallOptions) =>
      request<ImageGeoJson>('GET', `/v2/trails/${trailID}/images.geojson`, {
        ...options,
        query: { ...filters },
      }),
    /** The URL of one size. Photos that are not public are served only to users who may see them. */
    url: (imageID: number, size: ImageSize = 'lg', format?: 'webp') =>
      transport.urlOf('/ImageHandler', { id: imageID, t: size, f: format }),
  }
}
