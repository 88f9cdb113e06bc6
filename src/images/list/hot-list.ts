// The list of a trail from memory, for whoever reads it with an API key or a token, ahead of the generic hooks (http/hot-paths.ts).
import { permit, type Actor } from '../../auth/guard.ts'
import { parseId } from '../../shared/classic/classic-paths.ts'
import { listTrailImages } from '../classic-operations.ts'
import type { HotAnswer, HotEndpoint } from '../../http/hot-paths.ts'
import { plainHeader } from '../../http/plain-request.ts'
import { cacheControlFor, type MadeBody } from '../../http/representation.ts'
import type { ListBodies } from './list-bodies.ts'

/** In the contract's letters, with or without its version, and nothing in the query but an API key of ours. */
const listUrl = /^(?:\/[Vv]1(?:\.6)?)?(\/Trails\/([1-9]\d{0,15})\/Images)(?:\?api_key=(wm_[\w-]{16,128}))?$/

interface Answers {
  readonly whole: HotAnswer
  readonly notModified: HotAnswer
}

function makeAnswers(body: MadeBody, cacheControl: string): Answers {
  const { etag, bytes, text, contentType, contentEncoding } = body
  const known = ['etag', etag, 'cache-control', cacheControl]
  const coding = contentEncoding === undefined ? [] : ['content-encoding', contentEncoding]
  const length = ['content-length', String(bytes.length)]
  return {
    whole: {
      status: 200,
      headers: [...known, ...coding, 'content-type', contentType, ...length],
      body: text ?? bytes,
      encoding: 'latin1',
    },
    notModified: { status: 304, headers: known, body: '', encoding: 'latin1' },
  }
}

export function hotList(bodies: Pick<ListBodies, 'answerAtOnce'>): HotEndpoint {
  const answers = new WeakMap<MadeBody, Map<string, Answers>>()

  function answersOf(actor: Actor, body: MadeBody): Answers {
    const cacheControl = cacheControlFor(actor)
    const ofBody = answers.get(body) ?? new Map<string, Answers>()
    answers.set(body, ofBody)
    const made = ofBody.get(cacheControl) ?? makeAnswers(body, cacheControl)
    ofBody.set(cacheControl, made)
    return made
  }

  return {
    pattern: '/Trails/:trailID/Images',
    access: listTrailImages.config.access,
    vary: 'Authorization, Accept, Accept-Encoding',
    plain: {
      also: {
        // A token of ours alone: one of another issuer holds dots, and costs more to look at than is saved here.
        authorization: /^Bearer [\w-]{16,128}$/,
        'x-api-key': 'whatever',
        accept: /^(?:\*\/\*|application\/json|application\/xml)$/,
        'if-none-match': /^"[\w-]+"$/,
        'sec-fetch-site': 'whatever', // without a cookie there is no session that it could tell of
      },
    },
    match: (url) => {
      const [, path, trail = '', apiKey] = listUrl.exec(url) ?? []
      const trailId = parseId(trail)
      if (path === undefined || trailId === undefined) return undefined
      return {
        path,
        apiKey,
        answer: (actor, request) => {
          permit(actor, 'list-images')
          const format = plainHeader(request, 'accept') === 'application/xml' ? 'xml' : 'json'
          const acceptEncoding = plainHeader(request, 'accept-encoding')
          const body = bodies.answerAtOnce(actor, trailId, { format, acceptEncoding })
          if (body === undefined) return undefined // the ordinary way makes it, or refuses
          const asked = plainHeader(request, 'if-none-match')
          const { whole, notModified } = answersOf(actor, body)
          if (asked === undefined) return whole
          return asked === body.etag ? notModified : undefined // it may be the tag of another coding
        },
      }
    },
  }
}
