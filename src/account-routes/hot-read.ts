// The read of one's own route in JSON, the most frequent request there is, ahead of the generic hooks (http/hot-paths.ts).
import { permitOwner } from '../auth/guard.ts'
import { parseId } from '../contract/classic-paths.ts'
import type { Db } from '../database/database.ts'
import { getRoute } from '../http/classic-routes.ts'
import type { AnswerFormat } from '../http/codec.ts'
import type { HotEndpoint } from '../http/hot-paths.ts'
import type { ClassicPresent } from './classic-present.ts'
import { isPacked } from './packed.ts'
import { createStoredRouteQuery } from './route-table.ts'

/** In the contract's letters, with or without its version; any other spelling is for contract/classic-paths.ts. */
const routePath = /^(?:\/[Vv]1(?:\.6)?)?(\/Accounts\/([1-9]\d{0,15})\/Routes\/([1-9]\d{0,15}))$/

const json: AnswerFormat = { name: 'json', mediaType: 'application/json' }

export interface HotRouteReadDependencies {
  readonly db: Db
  readonly present: ClassicPresent
}

export function hotRouteRead({ db, present }: HotRouteReadDependencies): HotEndpoint {
  const findStored = createStoredRouteQuery(db)
  return {
    pattern: '/Accounts/:acctID/Routes/:routeID',
    access: getRoute.config.access,
    match: (sent) => {
      const [, path, account = '', route = ''] = routePath.exec(sent) ?? []
      const accountId = parseId(account)
      const id = parseId(route)
      if (path === undefined || accountId === undefined || id === undefined) return undefined
      return {
        path,
        answer: async (actor) => {
          permitOwner(actor, 'view-route', { accountId })
          const stored = await findStored({ id })
          if (stored?.accountId !== accountId || isPacked(stored.gpx)) return undefined
          return present.route(stored, json)
        },
      }
    },
  }
}
