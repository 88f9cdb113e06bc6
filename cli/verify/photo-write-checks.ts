// Checks of --write on an upload: the response in JSON and XML, and what is refused.
import { tell, type Question } from './asker.ts'
import { skipped, verdictOf, type Check } from './check.ts'
import { longIn, type Answer } from './readings.ts'
import { tokenRefused } from './route-checks.ts'
import type { Subject } from './subject.ts'

const isTrouble = ({ status }: Answer): boolean => status < 400 || status >= 500

/** Sends an upload that must be refused. */
async function refusedUpload(subject: Subject, question: Partial<Question>): Promise<Answer> {
  const answer = await subject.ask({ method: 'POST', path: subject.setPath, type: 'image/jpeg', ...question })
  subject.noteUpload(answer)
  return answer
}

export const photoWriteChecks: readonly Check[] = [
  {
    id: 'upload-needs-token',
    about: ['A7'],
    title: 'An upload without an access token is refused',
    needs: ['write', 'trail'],
    look: async (subject) => {
      const answer = await refusedUpload(subject, { body: subject.photo.bytes })
      return verdictOf(
        answer,
        isTrouble(answer) ? `the response was ${tell(answer)}, not a refusal` : undefined,
      )
    },
  },
  {
    id: 'upload-answer',
    about: ['A4', 'A1.1'],
    title: 'An upload returns the imageID as a bare number',
    needs: ['write', 'trail', 'token'],
    look: async (subject) => {
      const answer = await subject.firstUpload()
      await subject.ownImage() // records what is stored
      const isBare = answer.status < 300 && /^\s*[1-9]\d*\s*$/.test(answer.text)
      return (
        tokenRefused(answer) ?? verdictOf(answer, isBare ? undefined : `the response was ${tell(answer)}`)
      )
    },
  },
  {
    id: 'upload-created',
    about: ['C17'],
    title: 'An upload returns 201, with the URL of the image as Location',
    needs: ['write', 'trail', 'token'],
    look: async (subject) => {
      const image = await subject.ownImage()
      if (!image.ok) return skipped(image.why)
      const answer = await subject.firstUpload()
      const location = answer.headers.get('location')
      const isCreated = answer.status === 201 && location?.endsWith(`/Images/${image.value}`)
      return verdictOf(
        answer,
        isCreated ? undefined : `it was ${answer.status}, Location ${location ?? 'missing'}`,
      )
    },
  },
  {
    id: 'upload-answer-xml',
    about: ['A4'],
    title: 'An XML client gets <long> with the imageID',
    needs: ['write', 'trail', 'token'],
    look: async (subject) => {
      const image = await subject.ownImage()
      if (!image.ok) return skipped(image.why)
      const answer = await subject.secondUpload()
      subject.noteUpload(answer)
      return verdictOf(
        answer,
        longIn(answer.text) === undefined ? `the response was ${tell(answer)}` : undefined,
      )
    },
  },
  {
    id: 'upload-again',
    about: ['C18'],
    title: 'Uploading the same bytes again, before any details are set, returns the same image',
    needs: ['write', 'trail', 'token'],
    look: async (subject) => {
      const image = await subject.ownImage()
      if (!image.ok) return skipped(image.why)
      const answer = await subject.secondUpload()
      const isSame = answer.status === 200 && answer.text.includes(`>${image.value}<`)
      return verdictOf(
        answer,
        isSame
          ? undefined
          : `the first upload was image ${image.value}, but the response was ${tell(answer)}`,
      )
    },
  },
  {
    id: 'upload-not-a-photo',
    about: ['A9', 'C15'],
    title: 'A file other than jpg, gif, png and bmp is refused',
    needs: ['write', 'trail', 'token'],
    look: async (subject) => {
      const image = await subject.ownImage()
      if (!image.ok) return skipped(image.why)
      const body = 'This is not a photo, although its Content-Type says so.'
      const answer = await refusedUpload(subject, { credential: 'token', body })
      return verdictOf(answer, isTrouble(answer) ? `text sent as image/jpeg got ${tell(answer)}` : undefined)
    },
  },
  {
    id: 'upload-empty',
    about: ['C14'],
    title: 'An empty upload gets 400',
    needs: ['write', 'trail', 'token'],
    look: async (subject) => {
      const image = await subject.ownImage()
      if (!image.ok) return skipped(image.why)
      const answer = await refusedUpload(subject, { credential: 'token', body: '' })
      return verdictOf(answer, answer.status === 400 ? undefined : `the response was ${tell(answer)}`)
    },
  },
]
