// Checks of a trail's list in XML, and whether it matches the one in JSON.
import type { XmlElement } from '../../src/shared/xml/xml-reader.ts'
import { tell } from './asker.ts'
import { failed, passed, skipped, verdictOf, type Check, type Found, type Verdict } from './check.ts'
import { imageFields } from './fields.ts'
import { firstOf, named, readXmlAnswer, shown, textOf, type Fields } from './readings.ts'
import type { Subject, XmlSet } from './subject.ts'

/** A2.4: the two XML-only fields are among the others. */
export const xmlFields = [...Object.keys(imageFields), 'addUser', 'email'].toSorted((one, other) =>
  one < other ? -1 : 1,
)

const nameOf = (element: XmlElement): string => `image ${textOf(element, 'imageID') ?? 'without an ID'}`

async function listWithImages(subject: Subject): Promise<Found<XmlSet>> {
  const list = await subject.xmlList()
  if (!list.ok || list.value.root.children.length > 0) return list
  return { ok: false, why: 'This trail has no published images.' }
}

/** A check of every image in the list. */
function ofImages(
  check: Pick<Check, 'id' | 'about' | 'title'>,
  breachOf: (image: XmlElement) => string | undefined,
): Check {
  const look = async (subject: Subject): Promise<Verdict> => {
    const list = await listWithImages(subject)
    if (!list.ok) return skipped(list.why)
    return verdictOf(list.value.answer, firstOf(list.value.root.children, breachOf))
  }
  return { ...check, needs: ['trail', 'key'], look }
}

/** @returns how the XML differs from the JSON of the same image. */
function differenceOf(json: Fields, xml: XmlElement): string | undefined {
  const name = Object.keys(imageFields).find((field) => {
    const [value, text] = [json[field], textOf(xml, field)]
    if (field === 'postDate') return String(value).replace(' ', 'T').replace(/Z$/, '') !== text
    if (typeof value === 'bigint') return String(value) !== text
    // 45.50 and 45.5 are the same position.
    const isNumber = typeof value === 'number' || field === 'lat' || field === 'lon'
    return isNumber ? Number(value) !== Number(text ?? Number.NaN) : value !== text
  })
  return (
    name &&
    `${named('image', json)} has ${name} ${shown(json[name])} in JSON and ${shown(textOf(xml, name))} in XML`
  )
}

function differenceOfLists(items: readonly Fields[], images: readonly XmlElement[]): string | undefined {
  if (items.length !== images.length)
    return `there are ${items.length} images in JSON and ${images.length} in XML`
  const byId = new Map(images.map((image) => [textOf(image, 'imageID'), image]))
  return firstOf(items, (item) => {
    const image = byId.get(String(item['imageID']))
    return image ? differenceOf(item, image) : `${named('image', item)} is only in JSON`
  })
}

const timestampForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/

export const listXmlChecks: readonly Check[] = [
  {
    id: 'list-xml',
    about: ['A4', 'A1.4'],
    title: 'The list in XML is an ArrayOfTrailImageDetails of TrailImageDetails',
    needs: ['trail', 'key'],
    look: async ({ xmlListAnswer, list }) => {
      const known = await list()
      if (!known.ok) return skipped(known.why)
      const answer = await xmlListAnswer()
      if (!answer.ok)
        return failed({ asked: `${known.value.answer.asked} and as XML` }, 'the response was not a list')
      const root = await readXmlAnswer(answer.value)
      if (root === undefined)
        return failed(answer.value, `the response was ${tell(answer.value)}, which is not XML`)
      const stray = [root, ...root.children].find(
        ({ name }, at) => name !== (at === 0 ? 'ArrayOfTrailImageDetails' : 'TrailImageDetails'),
      )
      return verdictOf(answer.value, stray && `there is an element ${stray.name}`)
    },
  },
  ofImages(
    {
      id: 'list-xml-fields',
      about: ['A2', 'A2.3'],
      title: 'Every field is present and never nil, including addUser and email',
    },
    (image) => {
      const missing = xmlFields.find((name) => textOf(image, name) === undefined)
      return missing && `${nameOf(image)} has no ${missing}`
    },
  ),
  ofImages(
    {
      id: 'list-xml-order',
      about: ['A2.4'],
      title: 'The elements are in the specified order: addUser, caption, … trailName',
    },
    (image) => {
      const names = image.children.map(({ name }) => name)
      const at = names.findIndex((name, place) => name !== xmlFields[place])
      return at === -1
        ? undefined
        : `${nameOf(image)} has ${names[at]} where ${xmlFields[at] ?? 'nothing'} belongs`
    },
  ),
  ofImages(
    { id: 'list-xml-post-date', about: ['A2.2'], title: 'postDate is YYYY-MM-DDThh:mm:ss' },
    (image) => {
      const text = textOf(image, 'postDate') ?? ''
      const isTimestamp = timestampForm.test(text) && !Number.isNaN(Date.parse(text))
      return isTimestamp ? undefined : `${nameOf(image)} has postDate ${shown(text)}`
    },
  ),
  ofImages(
    { id: 'list-xml-lone-space', about: ['A2.5'], title: 'An empty caption or title is one space' },
    (image) => {
      const empty = ['caption', 'title'].find((name) => textOf(image, name) === '')
      return empty && `the ${empty} of ${nameOf(image)} is empty`
    },
  ),
  {
    id: 'list-same-in-both',
    about: ['A1.4', 'A2'],
    title: 'JSON and XML contain the same values for the same images',
    needs: ['trail', 'key'],
    look: async (subject) => {
      const [json, xml] = [await subject.list(), await subject.xmlList()]
      if (!json.ok || !xml.ok) return skipped(json.ok ? (xml.ok ? '' : xml.why) : json.why)
      const difference = differenceOfLists(json.value.items, xml.value.root.children)
      if (difference === undefined) return passed
      // A photo may have been reviewed between the two requests.
      const again = await subject.ask({ path: subject.setPath, credential: 'key' })
      return again.text === json.value.answer.text
        ? failed(xml.value.answer, difference)
        : skipped('The list changed during the check: run it again.')
    },
  },
  {
    id: 'list-text-xml',
    about: ['C6', 'C8'],
    title: 'Accept: text/xml also returns XML, without a namespace',
    needs: ['trail', 'key'],
    look: async (subject) => {
      const known = await subject.xmlList()
      if (!known.ok) return skipped(known.why)
      const answer = await subject.ask({ path: subject.setPath, credential: 'key', accept: 'text/xml' })
      const root = answer.status === 200 ? await readXmlAnswer(answer) : undefined
      if (root === undefined) return failed(answer, `the response was ${tell(answer)}`)
      // Only the start tag of the root: its content may be anything.
      const start = answer.text.indexOf('<ArrayOfTrailImageDetails')
      const tag = answer.text.slice(start, answer.text.indexOf('>', start))
      return verdictOf(answer, /\sxmlns[:=]/.test(tag) ? 'its root has a namespace' : undefined)
    },
  },
  {
    id: 'list-xml-marked-space',
    about: ['C8'],
    title: 'A single space is marked xml:space="preserve", since many parsers drop it',
    needs: ['trail', 'key'],
    look: async (subject) => {
      const list = await listWithImages(subject)
      if (!list.ok) return skipped(list.why)
      const { answer } = list.value
      if (!/<(caption|title)[^<>]*> <\//.test(answer.text))
        return skipped('No published image has an empty title or caption.')
      const bare = /<(caption|title)> <\//.exec(answer.text)?.[1]
      return verdictOf(answer, bare && `a ${bare} of one space is not marked`)
    },
  },
]
