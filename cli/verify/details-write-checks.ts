// Checks of --write on the own photo's details: what PUT returns, stores and refuses.
import { tell } from './asker.ts'
import { failed, passed, skipped, verdictOf, type Check, type Found, type Verdict } from './check.ts'
import { ownPhotoPosition } from './own-photo.ts'
import {
  isRecord,
  readJsonAnswer,
  readXmlAnswer,
  shown,
  textOf,
  type Answer,
  type Fields,
} from './readings.ts'
import { json, put, xml } from './sent-details.ts'
import type { Subject } from './subject.ts'

async function detailsNow(subject: Subject): Promise<Found<{ answer: Answer; details: Fields }>> {
  const answer = await subject.ownDetails()
  if (!answer.ok) return answer
  const details = readJsonAnswer(answer.value)
  return isRecord(details)
    ? { ok: true, value: { answer: answer.value, details } }
    : {
        ok: false,
        why: 'The server does not show pending images to their submitter as JSON, so this cannot be checked.',
      }
}

function ofOwnImage(
  check: Pick<Check, 'id' | 'about' | 'title'>,
  look: (subject: Subject, imageId: string) => Promise<Verdict>,
): Check {
  return {
    ...check,
    needs: ['write', 'trail', 'token'],
    look: async (subject) => {
      const image = await subject.ownImage()
      return image.ok ? look(subject, image.value) : skipped(image.why)
    },
  }
}

/** Checks that the stored details are those sent. */
async function keptAs(subject: Subject, sent: Fields): Promise<Verdict> {
  const now = await detailsNow(subject)
  if (!now.ok) return skipped(now.why)
  const { answer, details } = now.value
  const other = Object.keys(sent).find((name) => details[name] !== sent[name])
  return verdictOf(
    answer,
    other && `${other} is ${shown(details[other])}, but ${shown(sent[other])} was sent`,
  )
}

async function positionIsThat(subject: Subject): Promise<Verdict> {
  const now = await detailsNow(subject)
  if (!now.ok) return skipped(now.why)
  const { answer, details } = now.value
  const { lat, lon } = ownPhotoPosition
  const isThere = Number(details['lat']) === lat && Number(details['lon']) === lon
  return verdictOf(
    answer,
    isThere ? undefined : `it has ${shown(details['lat'])}, ${shown(details['lon'])}, not ${lat}, ${lon}`,
  )
}

const isTrue = ({ status, text }: Answer): boolean => status < 300 && text.trim() === 'true'
const isTrueXml = ({ status, text }: Answer): boolean =>
  status < 300 && /^\s*(?:<\?xml[^>]*\?>\s*)?<boolean\b[^>]*>true<\/boolean>\s*$/.test(text)

const longest = { title: 'A title / with a slash', caption: 'x'.repeat(256) } as const
const ofXml = { title: 'Über den Grat', caption: 'Cairns & <ladders> to the ridge' } as const

export const detailsWriteChecks: readonly Check[] = [
  ofOwnImage(
    {
      id: 'one-image',
      about: ['C3'],
      title: 'The submitter can view a single image, even while it is pending',
    },
    async (subject) => {
      const answer = await subject.ownDetails()
      return answer.ok
        ? passed
        : failed({ asked: `GET ${subject.setPath}<imageID> with the token` }, 'it was not returned')
    },
  ),
  ofOwnImage(
    {
      id: 'exif-position',
      about: ['A2.6'],
      title: 'lat and lon have the position in the EXIF data of the file',
    },
    positionIsThat,
  ),
  ofOwnImage(
    {
      id: 'details-json',
      about: ['A4', 'A2'],
      title: 'Details in JSON, with a caption of 256 characters, return true',
    },
    async (subject, imageId) => {
      const answer = await put(subject, imageId, json({ ...longest, lat: '', lon: '' }))
      return verdictOf(
        answer,
        isTrue(answer) ? undefined : `the response was ${tell(answer)}, not a bare true`,
      )
    },
  ),
  ofOwnImage({ id: 'details-kept', about: ['A4'], title: 'Details are stored as sent' }, (subject) =>
    keptAs(subject, longest),
  ),
  ofOwnImage(
    {
      id: 'position-kept',
      about: ['A4.1'],
      title: 'Blank lat and lon do not change the position from the file',
    },
    positionIsThat,
  ),
  ofOwnImage(
    { id: 'caption-too-long', about: ['A9', 'A2'], title: 'A caption of 257 characters is refused' },
    async (subject, imageId) => {
      const answer = await put(subject, imageId, json({ caption: 'y'.repeat(257) }))
      const isRefused = answer.status >= 400 && answer.status < 500
      return verdictOf(answer, isRefused ? undefined : `the response was ${tell(answer)}`)
    },
  ),
  ofOwnImage(
    {
      id: 'caption-not-cut',
      about: ['C13'],
      title: 'A caption that is too long gets 400, and nothing is stored',
    },
    async (subject, imageId) => {
      const answer = await put(subject, imageId, json({ caption: 'z'.repeat(257) }))
      if (answer.status !== 400) return failed(answer, `the response was ${tell(answer)}`)
      return keptAs(subject, longest)
    },
  ),
  ofOwnImage(
    {
      id: 'caption-code-points',
      about: ['C13'],
      title: 'Characters are code points: a caption of 256 emoji is valid',
    },
    async (subject, imageId) => {
      const caption = '🥾'.repeat(256)
      const answer = await put(subject, imageId, json({ caption }))
      return isTrue(answer)
        ? keptAs(subject, { caption })
        : failed(answer, `the response was ${tell(answer)}`)
    },
  ),
  ofOwnImage(
    { id: 'details-xml', about: ['A4'], title: 'Details in XML return <boolean>true</boolean>' },
    async (subject, imageId) => {
      const caption = ofXml.caption.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')
      const answer = await put(subject, imageId, xml({ ...ofXml, caption }))
      return verdictOf(answer, isTrueXml(answer) ? undefined : `the response was ${tell(answer)}`)
    },
  ),
  ofOwnImage(
    { id: 'details-xml-kept', about: ['A4'], title: 'Details in XML are stored as sent' },
    (subject) => keptAs(subject, ofXml),
  ),
  ofOwnImage(
    {
      id: 'lone-space',
      about: ['A2.5', 'C12'],
      title: 'A caption of one space is returned as one space, in JSON and XML',
    },
    async (subject, imageId) => {
      const answer = await put(subject, imageId, json({ caption: ' ' }))
      if (!isTrue(answer)) return failed(answer, `the response was ${tell(answer)}`)
      const inJson = await keptAs(subject, { caption: ' ' })
      const shownXml = await subject.ownDetails('application/xml')
      if (inJson.result !== 'passed' || !shownXml.ok) return inJson
      const root = await readXmlAnswer(shownXml.value)
      const caption = root && textOf(root, 'caption')
      return verdictOf(shownXml.value, caption === ' ' ? undefined : `caption is ${shown(caption)}`)
    },
  ),
  ofOwnImage(
    { id: 'whole-object', about: ['C20'], title: 'A complete object can be sent back as it was received' },
    async (subject, imageId) => {
      const before = await detailsNow(subject)
      if (!before.ok) return skipped(before.why)
      const answer = await put(subject, imageId, json(before.value.details))
      return isTrue(answer)
        ? keptAs(subject, before.value.details)
        : failed(answer, `the response was ${tell(answer)}`)
    },
  ),
  ofOwnImage(
    {
      id: 'details-malformed',
      about: ['C6'],
      title: 'A truncated body gets 400, and one that is neither JSON nor XML gets 415',
    },
    async (subject, imageId) => {
      const cut = await put(subject, imageId, { body: '{"caption":"cut', type: 'application/json' })
      if (cut.status !== 400) return failed(cut, `truncated JSON got ${tell(cut)}`)
      const other = await put(subject, imageId, { body: 'caption=x', type: 'text/plain' })
      return verdictOf(other, other.status === 415 ? undefined : `text/plain got ${tell(other)}`)
    },
  ),
]
