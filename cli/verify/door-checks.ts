// Checks without a credential: access control, and responses to unknown paths.
import { tell } from './asker.ts'
import { failed, passed, skipped, verdictOf, type Check, type Verdict } from './check.ts'
import { readXmlAnswer, type Answer } from './readings.ts'
import type { Subject } from './subject.ts'

/** Part A does not specify the status. */
const isRefused = ({ status }: Answer): boolean => status === 400 || status === 401 || status === 403

function refusedList(subject: Subject, answer: Answer): Verdict {
  if (isRefused(answer)) return passed
  // If no trail was given, the server may return 404 before it checks the key.
  const isOfNoTrail = answer.status === 404 && !subject.hasTrail
  return isOfNoTrail
    ? skipped(
        'The server returns 404 for trail 1 before it checks the key: specify one of its trails with --trail ID.',
      )
    : failed(answer, `the response was ${tell(answer)}, not a refusal`)
}

const unknownId = '9007199254740991' // 2^53−1, the last id that C4 allows

export const doorChecks: readonly Check[] = [
  {
    id: 'list-needs-key',
    about: ['A7', 'A4'],
    title: 'The list of a trail requires an API key',
    look: async (subject) => refusedList(subject, await subject.listWithoutKey()),
  },
  {
    id: 'list-refuses-made-up-key',
    about: ['A7', 'A4'],
    title: 'The list of a trail is refused with an invalid API key',
    look: async (subject) =>
      refusedList(subject, await subject.ask({ path: subject.setPath, credential: 'made-up-key' })),
  },
  {
    id: 'missing-key-is-401',
    about: ['C28', 'C31'],
    title: 'A missing API key gets 401',
    look: async ({ listWithoutKey }) => {
      const answer = await listWithoutKey()
      return verdictOf(answer, answer.status === 401 ? undefined : `the response was ${tell(answer)}`)
    },
  },
  {
    id: 'routes-need-token',
    about: ['A7', 'A6'],
    title: 'Routes require an access token',
    needs: ['account'],
    look: async ({ ask, routesPath }) => {
      const answer = await ask({ path: routesPath })
      return verdictOf(
        answer,
        isRefused(answer) ? undefined : `the response was ${tell(answer)}, not a refusal`,
      )
    },
  },
  {
    id: 'routes-forbidden',
    about: ['A8', 'C30'],
    title: 'Requesting routes with an invalid token gets 403 Forbidden',
    needs: ['account'],
    look: async ({ ask, routesPath }) => {
      const answer = await ask({ path: routesPath, credential: 'made-up-token' })
      const isForbidden = answer.status === 403 && answer.text.includes('Forbidden')
      return verdictOf(answer, isForbidden ? undefined : `the response was ${tell(answer)}`)
    },
  },
  {
    id: 'unknown-prefix',
    about: ['C1'],
    title: 'A version prefix that does not exist gets 404',
    look: async ({ ask, trailId }) => {
      const answer = await ask({ path: `/V9/Trails/${trailId}/Images/` })
      return verdictOf(answer, answer.status === 404 ? undefined : `the response was ${tell(answer)}`)
    },
  },
  {
    id: 'same-with-prefix',
    about: ['C1'],
    title: 'Paths with V1 or v1.6, in any case, and without a trailing slash are equivalent',
    look: async (subject) => {
      const plain = await subject.listWithoutKey()
      const { trailId, ask } = subject
      for (const path of [
        `/V1/Trails/${trailId}/Images/`,
        `/v1.6/Trails/${trailId}/Images/`,
        `/trails/${trailId}/IMAGES`,
      ]) {
        const answer = await ask({ path })
        if (answer.status !== plain.status || answer.type !== plain.type)
          return failed(
            answer,
            `the response was ${answer.status}, but ${plain.status} for ${subject.setPath}`,
          )
      }
      return passed
    },
  },
  {
    id: 'head',
    about: ['C5'],
    title: 'HEAD gets the same response as GET, without a body',
    look: async ({ ask, setPath, listWithoutKey }) => {
      const plain = await listWithoutKey()
      const answer = await ask({ method: 'HEAD', path: setPath })
      const isSame = answer.status === plain.status && answer.bytes.length === 0
      return verdictOf(
        answer,
        isSame ? undefined : `the response was ${tell(answer)}, but ${plain.status} for GET`,
      )
    },
  },
  {
    id: 'problem-documents',
    about: ['C37', 'C6'],
    title: 'A refusal is a problem document, in JSON or XML as requested',
    look: async ({ ask, setPath, listWithoutKey }) => {
      const json = await listWithoutKey()
      const isJson = json.type === 'application/problem+json' && json.text.includes('"title"')
      if (!isJson) return failed(json, `the response was ${tell(json)} as ${json.type || 'no media type'}`)
      const xml = await ask({ path: setPath, accept: 'application/xml' })
      const isXml = xml.type === 'application/problem+xml' && (await readXmlAnswer(xml)) !== undefined
      return verdictOf(
        xml,
        isXml ? undefined : `the response was ${tell(xml)} as ${xml.type || 'no media type'}`,
      )
    },
  },
  {
    id: 'no-referrer',
    about: ['C28'],
    title: 'Referrer-Policy keeps URLs, which may contain a key, from being sent to other sites',
    look: async ({ listWithoutKey }) => {
      const answer = await listWithoutKey()
      const policy = answer.headers.get('referrer-policy')
      return verdictOf(
        answer,
        policy === 'no-referrer' ? undefined : `Referrer-Policy is ${policy ?? 'missing'}`,
      )
    },
  },
  {
    id: 'image-unknown',
    about: ['C24', 'C4'],
    title: 'The image handler returns 404 for an image that does not exist',
    look: async ({ askForFile }) => {
      const answer = await askForFile({ id: unknownId, t: 'md' })
      return verdictOf(answer, answer.status === 404 ? undefined : `the response was ${tell(answer)}`)
    },
  },
  {
    id: 'image-malformed-id',
    about: ['C24'],
    title: 'The image handler returns 400 if the ID is missing or not a number',
    look: async ({ askForFile }) => {
      for (const query of [{ t: 'md' }, { id: 'ridge', t: 'md' }]) {
        const answer = await askForFile(query)
        if (answer.status !== 400) return failed(answer, `the response was ${tell(answer)}`)
      }
      return passed
    },
  },
]
