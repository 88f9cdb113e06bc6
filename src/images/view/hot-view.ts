// Views of listed images from memory, the most frequent request of all, ahead of the generic hooks (http/hot-paths.ts).
import { anonymous, maySeeFile } from '../../auth/guard.ts'
import { defaultImageSize, isImageSize } from '../../shared/image-sizes.ts'
import type { Db } from '../../database/database.ts'
import { viewImage } from '../classic-operations.ts'
import type { HotAnswer, HotEndpoint } from '../../http/hot-paths.ts'
import { plainHeader } from '../../http/plain-request.ts'
import { createFileQuery, type ImageFile } from '../image-table.ts'
import type { CachedRendition, RenditionCache } from './rendition-cache.ts'
import { headersOfView, namesOf } from './view-headers.ts'

const path = '/ImageHandler'

/** In the contract's letters, with or without its version, and the order in which everybody writes it. */
const viewUrl =
  /^(?:\/[Vv]1(?:\.6)?)?\/ImageHandler\?id=([1-9]\d{0,15})(?:&t=([a-z0-9]{1,8}))?(?:&f=(webp))?$/

/** A body that short goes out as a text in latin1, a character a byte: node:http sends that in one write with the headers. */
const maxTextLength = 16 * 1024

export interface HotViewDependencies {
  readonly db: Db
  readonly cache: RenditionCache
  /** Setting IMAGE_MAX_AGE, in seconds. */
  readonly imageMaxAge: number
}

interface Answers {
  readonly whole: HotAnswer
  readonly notModified: HotAnswer
  readonly etag: string
}

export function hotView({ db, cache, imageMaxAge }: HotViewDependencies): HotEndpoint {
  const findFile = createFileQuery(db)
  /** For as long as the rendition is kept. Equal contents have the same type and so the same headers. */
  const answers = new WeakMap<CachedRendition, Answers>()

  function makeAnswers(image: ImageFile, kept: CachedRendition): Answers {
    const { rendition, bytes } = kept
    const { etag, ...others } = headersOfView(image, rendition, imageMaxAge)
    const isLarge = rendition.name === 'lg'
    const headers = Object.entries({
      etag,
      ...others,
      ...(isLarge ? { 'accept-ranges': 'bytes' } : {}),
    }).flat()
    const isText = bytes.length <= maxTextLength
    const whole: HotAnswer = {
      status: 200,
      headers: [...headers, 'content-length', String(bytes.length)],
      body: isText ? Buffer.from(bytes).toString('latin1') : bytes,
      encoding: 'latin1',
      ...(isLarge ? { lend: () => cache.lend(kept) } : {}),
    }
    const notModified: HotAnswer = {
      status: 304,
      headers: Object.freeze(headers),
      body: '',
      encoding: 'latin1',
    }
    return { whole, notModified, etag }
  }

  function answersOf(image: ImageFile, kept: CachedRendition): Answers {
    const known = answers.get(kept)
    if (known) return known
    const made = makeAnswers(image, kept)
    answers.set(kept, made)
    return made
  }

  return {
    pattern: path,
    access: viewImage.config.access,
    vary: undefined,
    plain: {
      also: {
        // Of an image that is listed nobody sees more or less than others, whoever it is.
        authorization: 'whatever',
        cookie: 'whatever',
        accept: 'whatever',
        'sec-fetch-site': 'whatever',
        'if-none-match': /^"[0-9a-f]{32}"$/,
      },
    },
    match: (url) => {
      const [, digits, size = defaultImageSize, format] = viewUrl.exec(url) ?? []
      const id = Number(digits)
      if (!Number.isSafeInteger(id) || !isImageSize(size)) return undefined
      const names = namesOf({ size, isWebp: format === 'webp' })
      return {
        path,
        answer: (_actor, request) => {
          const answerFrom = (image: ImageFile | null | undefined): HotAnswer | undefined => {
            // Pending ones are told of in other words.
            if (!image || !maySeeFile(anonymous, image, 'owner')) return undefined
            const kept = size === 'lg' ? cache.findLarge(image.sha256) : cache.findSmall(image.sha256, names)
            if (kept === undefined) return undefined // the ordinary way reads it, and keeps it
            const { whole, notModified, etag } = answersOf(image, kept)
            return plainHeader(request, 'if-none-match') === etag ? notModified : whole
          }
          const image = findFile.atOnce({ id })
          return image === undefined ? findFile({ id }).then(answerFrom) : answerFrom(image)
        },
      }
    },
  }
}
