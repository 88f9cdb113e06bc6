// The server that `waymark verify` checks: what is known about it, and responses that several checks share.
import type { XmlElement } from '../../src/shared/xml/xml-reader.ts'
import { imageSizes, type ImageSize } from '../../src/shared/image-sizes.ts'
import { maxPhotoBytes, type Ask } from './asker.ts'
import { found, missing, type Found, type Need } from './check.ts'
import {
  idText,
  isRecord,
  readJsonAnswer,
  readXmlAnswer,
  uploadedId,
  type Answer,
  type Fields,
} from './readings.ts'
import { makeOwnPhoto, type OwnPhoto } from './own-photo.ts'
import { readPictureHeader, type PictureHeader } from './picture-header.ts'

export interface SubjectOptions {
  readonly ask: Ask
  readonly given: ReadonlySet<Need>
  /** Text, since a server may use IDs beyond 2^53. */
  readonly trailId: string | undefined
  readonly accountId: string | undefined
  readonly maxPhotos: number
  /** Use the prefixes V1 and v1.6, for a server that requires them. */
  readonly isPrefixed: boolean
  /** Names what this run creates. */
  readonly word: string
}

export interface JsonSet {
  readonly answer: Answer
  readonly items: readonly Fields[]
}

export interface XmlSet {
  readonly answer: Answer
  readonly root: XmlElement
}

export interface ServedFile {
  readonly answer: Answer
  readonly header: PictureHeader | undefined
}

export interface ServedPhoto {
  readonly imageId: string
  readonly mimeType: unknown
  readonly files: ReadonlyMap<ImageSize, ServedFile>
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined
  return () => (done ??= work())
}

/** Evenly spaced, from first to last: neighbours in a list are often from one camera and day. */
function spread<T>(items: readonly T[], max: number): T[] {
  if (items.length <= max) return [...items]
  const step = (items.length - 1) / Math.max(max - 1, 1)
  return Array.from({ length: max }, (_, at) => items[Math.round(at * step)]).filter(
    (item) => item !== undefined,
  )
}

export function createSubject(options: SubjectOptions) {
  const { ask, given, word, isPrefixed, accountId } = options
  const trailId = options.trailId ?? '1'
  const setPath = `${isPrefixed ? '/V1' : ''}/Trails/${trailId}/Images/`
  const routesPath = `${isPrefixed ? '/v1.6' : ''}/Accounts/${accountId ?? 1}/Routes`
  const photo: OwnPhoto = makeOwnPhoto(word)
  const left = { images: new Set<string>(), routes: new Set<string>() }

  async function listOf(accept: string): Promise<Found<Answer>> {
    if (!given.has('trail') || !given.has('key')) return missing('Requires a trail and an API key.')
    const answer = await ask({ path: setPath, credential: 'key', accept })
    return answer.status === 200 ? found(answer) : missing('The server did not return the list of the trail.')
  }

  const listAnswer = once(() => ask({ path: setPath, credential: 'key' }))

  const list = once(async (): Promise<Found<JsonSet>> => {
    const answer = await listAnswer()
    const items = answer.status === 200 ? readJsonAnswer(answer) : undefined
    return Array.isArray(items) && items.every(isRecord)
      ? found({ answer, items })
      : missing('The server returned no list of the trail in JSON.')
  })

  const xmlList = once(async (): Promise<Found<XmlSet>> => {
    const answer = await listOf('application/xml')
    if (!answer.ok) return answer
    const root = await readXmlAnswer(answer.value)
    return root?.name === 'ArrayOfTrailImageDetails'
      ? found({ answer: answer.value, root })
      : missing('The server returned no list of the trail in XML.')
  })

  /** All sizes, without a credential: the image handler needs none. */
  async function filesOf(imageId: string): Promise<Map<ImageSize, ServedFile>> {
    const files = new Map<ImageSize, ServedFile>()
    for (const size of imageSizes) {
      const answer = await askForFile({ id: imageId, t: size })
      files.set(size, { answer, header: readPictureHeader(answer.bytes) })
    }
    return files
  }

  const askForFile = (
    query: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ) => ask({ path: '', isOfImageHandler: true, query, headers, accept: '*/*', maxBytes: maxPhotoBytes })

  const photos = once(async (): Promise<Found<readonly ServedPhoto[]>> => {
    const images = await list()
    if (!images.ok) return images
    const known = images.value.items.filter(({ imageID }) => idText(imageID) !== undefined)
    const chosen = spread(known, options.maxPhotos)
    if (chosen.length === 0) return missing('This trail has no published images.')
    const served: ServedPhoto[] = []
    for (const { imageID, mimeType } of chosen) {
      const imageId = idText(imageID) ?? ''
      served.push({ imageId, mimeType, files: await filesOf(imageId) })
    }
    return found(served)
  })

  const routesAnswer = once(() => ask({ path: routesPath, credential: 'token' }))

  /** The routes of the account; an empty set has the message of A8. */
  async function readRoutes(answer: Answer): Promise<Found<JsonSet>> {
    const items = answer.status === 200 ? readJsonAnswer(answer) : undefined
    if (Array.isArray(items) && items.every(isRecord)) return found({ answer, items })
    return /No routes found/.test(answer.text)
      ? found({ answer, items: [] })
      : missing('The server did not return the routes of the account.')
  }

  const upload = (accept: string): Promise<Answer> =>
    ask({ method: 'POST', path: setPath, credential: 'token', body: photo.bytes, type: 'image/jpeg', accept })

  const firstUpload = once(() => upload('application/json'))

  const troubles: string[] = []

  /** Records what an upload stored, whether it was supposed to succeed or not. */
  function noteUpload(answer: Answer): string | undefined {
    const id = uploadedId(answer)
    if (id !== undefined) left.images.add(id)
    else if (answer.status < 300)
      troubles.push(
        `${answer.asked} returned ${answer.status}: it may have stored a photo whose ID cannot be read.`,
      )
    return id
  }

  const ownImage = once(async (): Promise<Found<string>> => {
    const id = noteUpload(await firstUpload())
    return id === undefined ? missing('No photo could be uploaded.') : found(id)
  })

  return {
    ask,
    askForFile,
    setPath,
    routesPath,
    trailId,
    accountId,
    photo,
    word,
    isPrefixed,
    hasTrail: options.trailId !== undefined,
    has: (need: Need): boolean => given.has(need),
    /** The list requested without a key, which also shows whether the server has this API. */
    listWithoutKey: once(() => ask({ path: setPath })),
    listAnswer,
    list,
    xmlList,
    xmlListAnswer: once(() => listOf('application/xml')),
    photos,
    routesAnswer,
    routes: once(async () => readRoutes(await routesAnswer())),
    /** The same, requested again. */
    routesNow: async (signal?: AbortSignal) =>
      readRoutes(await ask({ path: routesPath, credential: 'token' }, signal)),
    filesOf,
    firstUpload,
    /** The same bytes, sent by an XML client; the same image on Waymark, perhaps another elsewhere. */
    secondUpload: once(() => upload('application/xml')),
    ownImage,
    /** What the image handler returns for the own photo. */
    ownFiles: once(async () => {
      const image = await ownImage()
      return image.ok ? filesOf(image.value) : new Map<ImageSize, ServedFile>()
    }),
    /** The own photo's details as its submitter sees them (C3). */
    ownDetails: async (accept = 'application/json'): Promise<Found<Answer>> => {
      const image = await ownImage()
      if (!image.ok) return image
      const answer = await ask({ path: `${setPath}${image.value}`, credential: 'token', accept })
      return answer.status === 200
        ? found(answer)
        : missing(
            'The server does not show pending images to their submitter (C3), so this cannot be checked.',
          )
    },
    /** Refused credentials, with a sentence that says so: they are not tried again. */
    refused: new Map<Need, string>(),
    noteUpload,
    /** What this run created and has not deleted. */
    left,
    /** Other failures, one sentence each. */
    troubles,
  }
}

export type Subject = ReturnType<typeof createSubject>
