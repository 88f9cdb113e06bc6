// The read of one's own route in JSON, the most frequent request there is, ahead of the generic hooks (http/hot-paths.ts).
import { permitOwner, type Actor } from '../auth/guard.ts'
import { parseId } from '../shared/classic/classic-paths.ts'
import type { Db } from '../database/database.ts'
import { getRoute } from './classic-routes.ts'
import type { AnswerFormat } from '../http/codec.ts'
import type { HotAnswer, HotEndpoint } from '../http/hot-paths.ts'
import { describeBody } from '../http/representation.ts'
import type { ClassicPresent } from './classic-present.ts'
import { isPacked } from './gpx/packed.ts'
import { createStoredRouteQuery, type StoredRoute } from './route-table.ts'

/** In the contract's letters, with or without its version; any other spelling is for shared/classic/classic-paths.ts. */
const routePath = /^(?:\/[Vv]1(?:\.6)?)?(\/Accounts\/([1-9]\d{0,15})\/Routes\/([1-9]\d{0,15}))$/

const json: AnswerFormat = { name: 'json', mediaType: 'application/json' }

export interface HotRouteReadDependencies {
  readonly db: Db
  readonly present: ClassicPresent
}

export function hotRouteRead({ db, present }: HotRouteReadDependencies): HotEndpoint {
  const findStored = createStoredRouteQuery(db, { keep: 1_000 })
  /** By the row that they were made of, for as long as that is kept; whoever reads it is its owner. */
  const answers = new WeakMap<StoredRoute, HotAnswer>()

  async function makeAnswer(actor: Actor, stored: StoredRoute): Promise<HotAnswer | undefined> {
    const described = present.route(stored, json)
    const body = await described.chunks()
    if (typeof body !== 'string') return undefined // a long one comes in pieces
    const { etag, cacheControl, contentType } = describeBody(actor, described)
    const length = String(Buffer.byteLength(body))
    const told = {
      etag,
      'cache-control': cacheControl,
      'content-type': contentType,
      'content-length': length,
    }
    const headers = Object.entries(told).flat()
    const answer: HotAnswer = { status: 200, headers, body, encoding: 'utf8' }
    answers.set(stored, answer)
    return answer
  }

  return {
    pattern: '/Accounts/:acctID/Routes/:routeID',
    access: getRoute.config.access,
    vary: 'Authorization, Accept',
    plain: {
      also: {
        // A token of ours alone: one of another issuer holds dots, and costs more to look at than is saved here.
        authorization: /^Bearer [\w-]{16,128}$/,
        accept: /^(?:\*\/\*|application\/json)$/,
      },
      needed: ['authorization'],
    },
    match: (sent) => {
      const [, path, account = '', route = ''] = routePath.exec(sent) ?? []
      const accountId = parseId(account)
      const id = parseId(route)
      if (path === undefined || accountId === undefined || id === undefined) return undefined
      return {
        path,
        answer: (actor) => {
          permitOwner(actor, 'view-route', { accountId })
          const answerFrom = (stored: StoredRoute | null | undefined) =>
            stored?.accountId !== accountId || isPacked(stored.gpx)
              ? undefined
              : (answers.get(stored) ?? makeAnswer(actor, stored))
          const stored = findStored.atOnce({ id })
          return stored === undefined ? findStored({ id }).then(answerFrom) : answerFrom(stored)
        },
      }
    },
  }
}
