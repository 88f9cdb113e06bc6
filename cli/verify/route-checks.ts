// Read-only checks of an account's routes.
import { tell } from './asker.ts'
import { failed, skipped, verdictOf, type Check, type Verdict } from './check.ts'
import { fieldBreach } from './fields.ts'
import { firstOf, named, shown, type Answer, type Fields } from './readings.ts'
import type { Subject } from './subject.ts'

/** A3; length is a number that need not be whole. */
const routeTexts = {
  routeID: 'number',
  name: 'string',
  description: 'string',
  gpx: 'string',
  dateCreated: 'string',
} as const

/** What A3 says about a route. */
export function routeBreach(route: Fields): string | undefined {
  const breach = fieldBreach(route, 'route', routeTexts)
  if (breach !== undefined || (typeof route['length'] === 'number' && route['length'] >= 0)) return breach
  return `${named('route', route)} has length ${shown(route['length'])}, not a number of miles`
}

/** @returns a failure if the token was refused. */
export function tokenRefused(answer: Answer): Verdict | undefined {
  if (answer.status !== 401 && answer.status !== 403) return undefined
  return { ...failed(answer, `the server refuses the access token: ${tell(answer)}`), isCredential: true }
}

/** A check of every route of the account. */
function ofRoutes(
  check: Pick<Check, 'id' | 'about' | 'title'>,
  breachOf: (route: Fields) => string | undefined,
): Check {
  const look = async (subject: Subject): Promise<Verdict> => {
    const routes = await subject.routes()
    if (!routes.ok) return skipped(routes.why)
    const { answer, items } = routes.value
    return items.length === 0
      ? skipped('The account has no routes.')
      : verdictOf(answer, firstOf(items, breachOf))
  }
  return { ...check, needs: ['account', 'token'], look }
}

export const routeChecks: readonly Check[] = [
  {
    id: 'routes-list',
    about: ['A6', 'A8'],
    title: 'With the access token, the routes of the account are a JSON array or 404 No routes found',
    needs: ['account', 'token'],
    look: async ({ routesAnswer, routes, refused }) => {
      const answer = await routesAnswer()
      const refusal = tokenRefused(answer)
      if (refusal)
        refused.set('account', 'The server refuses the access token for the routes of this account.')
      const seen = (await routes()).ok ? undefined : `the response was ${tell(answer)}`
      return refusal ?? verdictOf(answer, seen)
    },
  },
  ofRoutes(
    {
      id: 'route-fields',
      about: ['A3'],
      title: 'Every field of a route is present, has its JSON type and is never null',
    },
    routeBreach,
  ),
  ofRoutes({ id: 'route-lone-space', about: ['A3'], title: 'An empty description is one space' }, (route) =>
    route['description'] === ''
      ? `the description of ${named('route', route)} is an empty string`
      : undefined,
  ),
  ofRoutes({ id: 'route-date', about: ['C10', 'A3'], title: 'dateCreated is MM/DD/YY' }, (route) => {
    const isDay = /^(0[1-9]|1[0-2])\/(0[1-9]|[12]\d|3[01])\/\d\d$/.test(String(route['dateCreated']))
    return isDay ? undefined : `${named('route', route)} has dateCreated ${shown(route['dateCreated'])}`
  }),
  {
    id: 'routes-none',
    about: ['C35'],
    title: 'An account without routes gets 404 No routes found',
    needs: ['account', 'token'],
    look: async ({ routes }) => {
      const list = await routes()
      if (!list.ok) return skipped(list.why)
      const { answer, items } = list.value
      if (items.length > 0) return skipped('The account has routes.')
      return verdictOf(answer, answer.status === 404 ? undefined : `the response was ${tell(answer)}`)
    },
  },
  {
    id: 'routes-refuse-key',
    about: ['A7', 'A6'],
    title: 'An API key gives no access to routes',
    needs: ['account', 'key'],
    look: async ({ ask, routesPath }) => {
      const answer = await ask({ path: routesPath, credential: 'key' })
      return verdictOf(answer, answer.status < 300 ? `the response was ${tell(answer)}` : undefined)
    },
  },
  {
    id: 'unknown-account',
    about: ['A8', 'C4'],
    title: 'An account that does not exist returns 404 Invalid Account ID',
    needs: ['account', 'token'], // of one that exists, so that the token is known to be valid
    look: async ({ ask, isPrefixed }) => {
      const path = `${isPrefixed ? '/v1.6' : ''}/Accounts/9007199254740991/Routes`
      const answer = await ask({ path, credential: 'token' })
      const isRefused = answer.status === 404 && answer.text.includes('Invalid Account ID')
      return verdictOf(answer, isRefused ? undefined : `the response was ${tell(answer)}`)
    },
  },
]
