// Sends details of the own photo, in JSON or XML.
import type { Question } from './asker.ts'
import type { Answer, Fields } from './readings.ts'
import type { Subject } from './subject.ts'

/** A long ID is written with all digits, which JSON.stringify cannot do. */
const written = (value: unknown): string =>
  typeof value === 'bigint' ? String(value) : JSON.stringify(value)

export const json = (details: Fields): Partial<Question> => {
  const fields = Object.entries(details).filter(([, value]) => value !== undefined)
  const members = fields.map(([name, value]) => `${JSON.stringify(name)}:${written(value)}`)
  return { body: `{${members.join(',')}}`, type: 'application/json' }
}

export const xml = (details: Readonly<Record<string, string>>): Partial<Question> => {
  const fields = Object.entries(details).map(([name, text]) => `<${name}>${text}</${name}>`)
  return {
    body: `<TrailImageDetails>${fields.join('')}</TrailImageDetails>`,
    type: 'application/xml',
    accept: 'application/xml',
  }
}

export async function put(
  { ask, setPath }: Subject,
  imageId: string,
  question: Partial<Question>,
): Promise<Answer> {
  return ask({ method: 'PUT', path: `${setPath}${imageId}`, credential: 'token', ...question })
}

/** Marks the photo for reviewers. The classic surface cannot delete it. */
export async function labelOwnPhoto(subject: Subject, signal: AbortSignal): Promise<void> {
  const details = {
    title: 'waymark verify',
    caption: 'Created by an API check; it may be rejected.',
  }
  for (const imageId of subject.left.images) {
    const answer = await subject.ask(
      { method: 'PUT', path: `${subject.setPath}${imageId}`, credential: 'token', ...json(details) },
      signal,
    )
    // Only the status: the response may contain the token, which is not masked when the checks are stopped.
    if (answer.status >= 300)
      subject.troubles.push(
        `${answer.asked} returned ${answer.status}: the photo has no title that identifies it.`,
      )
  }
}
