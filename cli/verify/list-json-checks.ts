// Checks of a trail's list in JSON: every rule of A2 about a field, and Waymark's decisions about the rest.
import { countCharacters } from '../../src/shared/text/characters.ts'
import { imageMimeTypes } from '../../src/shared/formats/image-formats.ts'
import { tell } from './asker.ts'
import { failed, skipped, verdictOf, type Check, type Verdict } from './check.ts'
import { coordinateBreach, fieldBreach, fieldsButCoordinates, imageFields, isTimestamp } from './fields.ts'
import {
  firstOf,
  hasBareSlash,
  idText,
  named,
  readJsonAnswer,
  shown,
  writtenValues,
  type Fields,
} from './readings.ts'
import type { JsonSet, Subject } from './subject.ts'

/** A check of every image in the list. */
function ofImages(
  check: Pick<Check, 'id' | 'about' | 'title'>,
  breachOf: (image: Fields) => string | undefined,
): Check {
  return ofList(check, ({ items }) => firstOf(items, breachOf))
}

function ofList(
  check: Pick<Check, 'id' | 'about' | 'title'>,
  breachOf: (list: JsonSet, subject: Subject) => string | undefined,
): Check {
  const look = async (subject: Subject): Promise<Verdict> => {
    const list = await subject.list()
    if (!list.ok) return skipped(list.why)
    if (list.value.items.length === 0) return skipped('This trail has no published images.')
    return verdictOf(list.value.answer, breachOf(list.value, subject))
  }
  return { ...check, needs: ['trail', 'key'], look }
}

async function lookAtTheKey({ listAnswer, refused }: Subject): Promise<Verdict> {
  const answer = await listAnswer()
  if (answer.status === 401 || answer.status === 403) {
    refused.set('key', 'The server refuses the API key.')
    return { ...failed(answer, `the server refuses the API key: ${tell(answer)}`), isCredential: true }
  }
  const isList = answer.status === 200 && Array.isArray(readJsonAnswer(answer))
  return verdictOf(answer, isList ? undefined : `the response was ${tell(answer)}, not a JSON array`)
}

const texts = ['caption', 'title'] as const

export const listJsonChecks: readonly Check[] = [
  {
    id: 'key-opens-list',
    about: ['A4', 'A7'],
    title: 'The API key alone, as api_key, gives access to the list of the trail, a JSON array',
    needs: ['trail', 'key'],
    look: lookAtTheKey,
  },
  ofImages(
    {
      id: 'list-fields',
      about: ['A2'],
      title: 'Every field is present, has its JSON type and is never null',
    },
    (image) => fieldBreach(image, 'image', fieldsButCoordinates),
  ),
  ofImages(
    {
      id: 'list-coordinates',
      about: ['A2'],
      title: 'lat and lon are decimal numbers in strings, within range',
    },
    coordinateBreach,
  ),
  ofList(
    {
      id: 'list-mime-slash',
      about: ['A2'],
      title: 'The slash in mimeType is escaped (image\\/jpeg)',
    },
    ({ answer }) => {
      const bare = writtenValues(answer.text, 'mimeType').find(hasBareSlash)
      return bare && `the response contains "mimeType":${bare}`
    },
  ),
  ofImages(
    { id: 'list-mime-types', about: ['A9', 'A2'], title: 'mimeType is the type of a jpg, gif, png or bmp' },
    (image) => {
      const isKnown = imageMimeTypes.some((type) => type === image['mimeType'])
      return isKnown ? undefined : `${named('image', image)} has mimeType ${shown(image['mimeType'])}`
    },
  ),
  ofImages({ id: 'list-post-date', about: ['A2.1'], title: 'postDate is YYYY-MM-DD hh:mm:ssZ' }, (image) =>
    isTimestamp(image['postDate'])
      ? undefined
      : `${named('image', image)} has postDate ${shown(image['postDate'])}`,
  ),
  ofImages(
    { id: 'list-text-limits', about: ['A2', 'A9'], title: 'Captions and titles have at most 256 characters' },
    (image) => {
      const lengthOf = (name: string): number =>
        typeof image[name] === 'string' ? countCharacters(image[name]) : 0
      const long = texts.find((name) => lengthOf(name) > 256)
      return long && `the ${long} of ${named('image', image)} has ${lengthOf(long)} characters`
    },
  ),
  ofImages(
    { id: 'list-lone-space', about: ['A2.5'], title: 'An empty caption or title is one space' },
    (image) => {
      const empty = texts.find((name) => image[name] === '')
      return empty && `the ${empty} of ${named('image', image)} is an empty string`
    },
  ),
  ofImages({ id: 'list-xml-only', about: ['A2.3'], title: 'addUser and email are not in JSON' }, (image) => {
    const extra = ['addUser', 'email'].find((name) => name in image)
    return extra && `${named('image', image)} has ${extra}`
  }),
  ofList(
    {
      id: 'list-ids',
      about: ['A2', 'A4'],
      title: 'Every image belongs to the requested trail, and every imageID is unique',
    },
    ({ items }, { trailId }) => {
      const stray = items.find(({ trailID }) => idText(trailID) !== trailId)
      if (stray) return `${named('image', stray)} has trailID ${shown(stray['trailID'])}`
      const isEachAnother = new Set(items.map(({ imageID }) => imageID)).size === items.length
      return isEachAnother ? undefined : 'an imageID occurs twice'
    },
  ),
  ofImages(
    {
      id: 'list-safe-ids',
      about: ['C4'],
      title: 'IDs are positive and at most 2^53−1, so that JavaScript can read them',
    },
    (image) => {
      const ids = ['imageID', 'submitterAcctID', 'trailID']
      const wrong = ids.find((name) => !Number.isSafeInteger(image[name]) || Number(image[name]) <= 0)
      return wrong && `${named('image', image)} has ${wrong} ${shown(image[wrong])}`
    },
  ),
  ofList(
    { id: 'list-all-slashes', about: ['C7'], title: 'Every slash inside a string is escaped' },
    ({ answer }) => (hasBareSlash(answer.text) ? 'the response contains an unescaped slash' : undefined),
  ),
  ofImages(
    {
      id: 'list-key-order',
      about: ['C7'],
      title: 'The keys are exactly those in the table, in the same order',
    },
    (image) => {
      const keys = Object.keys(image).join(', ')
      return keys === Object.keys(imageFields).join(', ') ? undefined : `${named('image', image)} has ${keys}`
    },
  ),
  ofList({ id: 'list-order', about: ['C19'], title: 'The list is in order of upload' }, ({ items }) => {
    const later = items.find(
      (image, at) => at > 0 && String(items[at - 1]?.['postDate']) > String(image['postDate']),
    )
    return later && `${named('image', later)} was posted before the preceding one`
  }),
]
