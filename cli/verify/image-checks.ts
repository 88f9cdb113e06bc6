// Checks of the image handler, on some published photos: the dimensions of each size, and how they are served.
import { imageSizes, type ImageSize } from '../../src/shared/image-sizes.ts'
import { tell } from './asker.ts'
import { failed, passed, skipped, verdictOf, type Check, type Verdict } from './check.ts'
import { shown } from './readings.ts'
import type { ServedFile, ServedPhoto, Subject } from './subject.ts'

const sidesOf = ({ header }: ServedFile): [shorter: number, longer: number] => {
  const sides = [header?.width ?? 0, header?.height ?? 0].toSorted((one, other) => one - other)
  return [sides[0] ?? 0, sides[1] ?? 0]
}

const dimensions = ({ header }: ServedFile): string =>
  header ? `${header.width} × ${header.height}` : 'not a picture'

/** A violation with the response that shows it. */
type Breach = readonly [ServedFile, string] | undefined

const hasNamedSides = ({ files }: Pick<ServedPhoto, 'files'>): boolean => {
  const full = files.get('lg')
  return full !== undefined && sidesOf(full)[1] >= 300
}

/** A5 says 300 px and 640 px, but not for which side: either is fine. A smaller photo need not have such a side. */
export function namedSideBreach({ files }: Pick<ServedPhoto, 'files'>): Breach {
  const full = files.get('lg')
  for (const [size, side] of [
    ['md', 300],
    ['640', 640],
  ] as const) {
    const file = files.get(size)
    if (!file || !full || sidesOf(full)[1] < side) continue
    if (!sidesOf(file).includes(side))
      return [file, `it is ${dimensions(file)}, and no side has ${side} pixels`]
  }
  return undefined
}

export function squareBreach({ files }: Pick<ServedPhoto, 'files'>): Breach {
  const file = files.get('150')
  const isSquare = file !== undefined && sidesOf(file).every((side) => side === 150)
  return file === undefined || isSquare ? undefined : [file, `it is ${dimensions(file)}, not 150 × 150`]
}

export function servedBreach({ files }: Pick<ServedPhoto, 'files'>): Breach {
  for (const file of files.values()) {
    const { answer, header } = file
    if (answer.status !== 200) return [file, `the response was ${tell(answer)}`]
    if (header === undefined) return [file, 'the response is not a jpg, gif, png or bmp']
  }
  return undefined
}

/** C25: the longest side is that of the size, or of the photo if shorter; the other one is proportional. */
export function fitBreach({ files }: Pick<ServedPhoto, 'files'>): Breach {
  const full = files.get('lg')
  if (full?.header === undefined) return undefined
  const [shorter, longer] = sidesOf(full)
  for (const [size, max] of [
    ['sm', 100],
    ['md', 300],
    ['640', 640],
  ] as const satisfies [ImageSize, number][]) {
    const file = files.get(size)
    if (file?.header === undefined) continue
    const [side, longest] = sidesOf(file)
    const wanted = Math.min(max, longer)
    const isFit = longest === wanted && Math.abs(side - (shorter * wanted) / longer) <= 1
    if (!isFit) return [file, `it is ${dimensions(file)}, for a photo of ${dimensions(full)}`]
  }
  return undefined
}

type Seeable = (photo: Pick<ServedPhoto, 'files'>) => boolean

/** Whether the image handler returned a picture in these sizes. */
const at =
  (...sizes: readonly ImageSize[]): Seeable =>
  ({ files }) =>
    sizes.every((size) => files.get(size)?.header !== undefined)

export const atSmallSizes: Seeable = at('lg', 'sm', 'md', '640')
export const atAnySize: Seeable = ({ files }) =>
  [...files.values()].some(({ header }) => header !== undefined)

/**
 * A check of every sampled photo.
 * @param canBeSeen whether the photo has what the check tests. If none has, the check has tested nothing.
 */
function ofPhotos(
  check: Pick<Check, 'id' | 'about' | 'title'>,
  canBeSeen: Seeable,
  breachOf: (photo: ServedPhoto, subject: Subject) => Breach | Promise<Breach>,
): Check {
  const look = async (subject: Subject): Promise<Verdict> => {
    const photos = await subject.photos()
    if (!photos.ok) return skipped(photos.why)
    const seen = photos.value.filter(canBeSeen)
    if (seen.length === 0) return skipped('The image handler returned nothing that shows this.')
    for (const photo of seen) {
      const breach = await breachOf(photo, subject)
      if (breach) return failed(breach[0].answer, breach[1])
    }
    return passed
  }
  return { ...check, needs: ['trail', 'key'], look }
}

/** A check of only the first photo, with further requests. */
function ofOnePhoto(
  check: Pick<Check, 'id' | 'about' | 'title'>,
  look: (photo: ServedPhoto, full: ServedFile, subject: Subject) => Promise<Verdict>,
): Check {
  return {
    ...check,
    needs: ['trail', 'key'],
    look: async (subject) => {
      const photos = await subject.photos()
      if (!photos.ok) return skipped(photos.why)
      const [photo] = photos.value
      const full = photo?.files.get('lg')
      if (!photo || full?.header === undefined)
        return skipped('The image handler returned no photo in size lg.')
      return look(photo, full, subject)
    },
  }
}

export const imageChecks: readonly Check[] = [
  ofPhotos(
    {
      id: 'image-sizes',
      about: ['A5'],
      title: `The image handler returns a picture in each size: ${imageSizes.join(', ')}`,
    },
    () => true,
    servedBreach,
  ),
  ofPhotos({ id: 'image-square', about: ['A5'], title: 'Size 150 is 150 × 150' }, at('150'), squareBreach),
  ofPhotos(
    {
      id: 'image-named-sides',
      about: ['A5'],
      title: 'Size md has a side of 300 pixels, and size 640 one of 640 pixels',
    },
    (photo) => at('lg', 'md', '640')(photo) && hasNamedSides(photo),
    namedSideBreach,
  ),
  ofPhotos(
    { id: 'image-mime-type', about: ['A5', 'A2'], title: 'Size lg has the type given by mimeType' },
    at('lg'),
    ({ mimeType, files }) => {
      const full = files.get('lg')
      const isSame = full?.header === undefined || full.header.mimeType === mimeType
      return isSame
        ? undefined
        : [full, `its bytes are ${full.header.mimeType}, but mimeType is ${shown(mimeType)}`]
    },
  ),
  ofPhotos(
    {
      id: 'image-fit',
      about: ['C25'],
      title:
        'The longest sides of sm, md and 640 are 100, 300 and 640 pixels; photos are never enlarged and keep their proportions',
    },
    atSmallSizes,
    fitBreach,
  ),
  ofPhotos(
    {
      id: 'image-content-type',
      about: ['C26', 'C27'],
      title: 'Content-Type matches the bytes, with nosniff',
    },
    atAnySize,
    ({ files }) => {
      for (const file of files.values()) {
        const { answer, header } = file
        if (header === undefined) continue
        if (answer.type !== header.mimeType)
          return [file, `Content-Type is ${answer.type}, but the bytes are ${header.mimeType}`]
        if (answer.headers.get('x-content-type-options') !== 'nosniff')
          return [file, 'X-Content-Type-Options: nosniff is missing']
      }
      return undefined
    },
  ),
  ofOnePhoto(
    { id: 'image-default-size', about: ['C24'], title: 'Without a size, the image handler returns lg' },
    async ({ imageId }, full, { askForFile }) => {
      const answer = await askForFile({ id: imageId })
      const isSame = answer.bytes.equals(full.answer.bytes)
      return verdictOf(
        answer,
        isSame ? undefined : `the response was ${answer.status}, without the bytes of size lg`,
      )
    },
  ),
  ofOnePhoto(
    { id: 'image-unknown-size', about: ['C24'], title: 'A size that does not exist gets 400' },
    async ({ imageId }, _, { askForFile }) => {
      const answer = await askForFile({ id: imageId, t: 'huge' })
      return verdictOf(answer, answer.status === 400 ? undefined : `the response was ${answer.status}`)
    },
  ),
  ofOnePhoto(
    {
      id: 'image-conditions',
      about: ['C27'],
      title: 'A photo has an ETag, If-None-Match gets 304, and lg supports ranges',
    },
    async ({ imageId }, full, { askForFile }) => {
      const etag = full.answer.headers.get('etag')
      if (etag === null) return failed(full.answer, 'it has no ETag')
      const query = { id: imageId, t: 'lg' }
      const again = await askForFile(query, { 'if-none-match': etag })
      if (again.status !== 304) return failed(again, `If-None-Match with its ETag got ${again.status}`)
      const part = await askForFile(query, { range: 'bytes=0-9' })
      const isPart = part.status === 206 && part.bytes.equals(full.answer.bytes.subarray(0, 10))
      return verdictOf(part, isPart ? undefined : `Range: bytes=0-9 got ${part.status}`)
    },
  ),
]
