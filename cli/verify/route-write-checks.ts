// Checks of --write on routes: creating, finding, changing and deleting one, and that refused ones leave nothing.
import { tell, type Question } from './asker.ts'
import { failed, passed, skipped, verdictOf, type Check, type Found, type Verdict } from './check.ts'
import { readXmlAnswer, shown, writtenValues, type Answer, type Fields } from './readings.ts'
import { routeBreach, tokenRefused } from './route-checks.ts'
import type { Subject } from './subject.ts'

const gpx =
  '<gpx version="1.1" creator="waymark verify"><rte><rtept lat="45.5" lon="-122.25"/><rtept lat="45.51" lon="-122.25"/></rte></gpx>'

const nameOf = ({ word }: Subject): string => `waymark verify ${word}`
const newRoute = (subject: Subject): Fields => ({ description: '', gpx, length: 1.5, name: nameOf(subject) })

/** @param body sent as it is if it is text. */
async function send(
  subject: Subject,
  method: Question['method'],
  id: string,
  body: unknown,
): Promise<Answer> {
  const path = `${subject.routesPath}${id === '' ? '' : `/${id}`}`
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const content = body === undefined ? {} : { body: text, type: 'application/json' }
  return subject.ask({ method: method ?? 'GET', path, credential: 'token', ...content })
}

/** The routes of this run, including any that should have been refused. */
async function ownRoutes(subject: Subject): Promise<Found<{ answer: Answer; routes: readonly Fields[] }>> {
  const set = await subject.routesNow()
  if (!set.ok) return set
  const routes = set.value.items.filter(({ name }) => String(name).startsWith(nameOf(subject)))
  return { ok: true, value: { answer: set.value.answer, routes } }
}

function ofOwnRoute(
  check: Pick<Check, 'id' | 'about' | 'title'>,
  look: (subject: Subject, routeId: string) => Promise<Verdict>,
): Check {
  return {
    ...check,
    needs: ['write', 'account', 'token'],
    look: async (subject) => {
      const [routeId] = subject.left.routes
      return routeId === undefined ? skipped('No route could be created.') : look(subject, routeId)
    },
  }
}

/** Checks that the set has the route with these values and every field of A3. */
async function shownAs(subject: Subject, routeId: string, wanted: Fields): Promise<Verdict> {
  const own = await ownRoutes(subject)
  if (!own.ok) return skipped(own.why)
  const { answer, routes } = own.value
  const route = routes.find(({ routeID }) => String(routeID) === routeId)
  if (route === undefined) return failed(answer, `route ${routeId} is not in the set under its name`)
  const breach = routeBreach(route)
  if (breach !== undefined) return failed(answer, breach)
  const other = Object.keys(wanted).find((name) => route[name] !== wanted[name])
  return verdictOf(answer, other && `${other} is ${shown(route[other])}, not ${shown(wanted[other])}`)
}

/** Must get 400 and create nothing. */
async function refused(subject: Subject, body: unknown): Promise<Verdict> {
  const answer = await send(subject, 'POST', '', body)
  if (answer.status !== 400) return failed(answer, `the response was ${tell(answer)}`)
  const own = await ownRoutes(subject)
  if (!own.ok) return skipped(own.why)
  const { routes } = own.value
  return verdictOf(
    own.value.answer,
    routes.length === 1 ? undefined : `${routes.length} routes of this run exist`,
  )
}

const isTrue = ({ status, text }: Answer): boolean => status < 300 && text.trim() === 'true'

export const routeWriteChecks: readonly Check[] = [
  {
    id: 'route-made',
    about: ['A6'],
    title: 'Posting an array with one route returns the routeID as a bare number',
    needs: ['write', 'account', 'token'],
    look: async (subject) => {
      const answer = await send(subject, 'POST', '', [newRoute(subject)])
      const id = /^\s*([1-9]\d*)\s*$/.exec(answer.text)?.[1]
      if (answer.status < 300 && id !== undefined) {
        subject.left.routes.add(id)
        return passed
      }
      return tokenRefused(answer) ?? failed(answer, `the response was ${tell(answer)}`)
    },
  },
  ofOwnRoute(
    {
      id: 'route-shown',
      about: ['A6', 'A3'],
      title: 'The route is in the set as sent, with its empty description as one space',
    },
    (subject, id) => shownAs(subject, id, { ...newRoute(subject), description: ' ' }),
  ),
  ofOwnRoute(
    { id: 'route-changed', about: ['A6', 'C2'], title: 'PUT changes a route' },
    async (subject, id) => {
      const change = { name: `${nameOf(subject)}, changed`, description: 'Up / and down', length: 2.25 }
      const answer = await send(subject, 'PUT', id, [change])
      return answer.status < 300
        ? shownAs(subject, id, { ...change, gpx })
        : failed(answer, `the response was ${tell(answer)}`)
    },
  ),
  ofOwnRoute(
    {
      id: 'route-changed-true',
      about: ['C32', 'C2'],
      title: 'PUT returns true, also on the set with the routeID in the body',
    },
    async (subject, id) => {
      const one = await send(subject, 'PUT', id, { length: 2.25 })
      if (!isTrue(one)) return failed(one, `the response was ${tell(one)}`)
      const named = await send(subject, 'PUT', '', `[{"routeID":${id},"length":2.25}]`)
      return verdictOf(named, isTrue(named) ? undefined : `the response was ${tell(named)}`)
    },
  ),
  ofOwnRoute(
    { id: 'route-one', about: ['C2'], title: 'A single route has its own URL' },
    async (subject, id) => {
      const answer = await send(subject, 'GET', id, undefined)
      const isShown = answer.status === 200 && writtenValues(answer.text, 'routeID').includes(id)
      return verdictOf(answer, isShown ? undefined : `the response was ${tell(answer)}`)
    },
  ),
  ofOwnRoute(
    {
      id: 'routes-xml',
      about: ['C8'],
      title: 'In XML, routes are an ArrayOfRoute of Route, with the elements in alphabetical order',
    },
    async (subject) => {
      const answer = await subject.ask({
        path: subject.routesPath,
        credential: 'token',
        accept: 'application/xml',
      })
      const root = answer.status === 200 ? await readXmlAnswer(answer) : undefined
      if (root?.name !== 'ArrayOfRoute') return failed(answer, `the response was ${tell(answer)}`)
      const wanted = 'dateCreated, description, gpx, length, name, routeID'
      const other = root.children.map(({ children }) => children.map(({ name }) => name).join(', '))
      const wrong = other.find((names) => names !== wanted)
      return verdictOf(answer, wrong && `a Route contains ${wrong}`)
    },
  ),
  ofOwnRoute(
    {
      id: 'routes-one-at-a-time',
      about: ['C32'],
      title: 'Several routes in one POST get 400, and none is stored',
    },
    (subject) => refused(subject, [newRoute(subject), newRoute(subject)]),
  ),
  ofOwnRoute(
    {
      id: 'route-bad-gpx',
      about: ['C33'],
      title: 'A gpx that is not valid GPX gets 400, and nothing is stored',
    },
    (subject) => refused(subject, [{ ...newRoute(subject), gpx: '<html/>' }]),
  ),
  ofOwnRoute(
    { id: 'route-deleted', about: ['A6', 'C2'], title: 'DELETE returns true, and the route is gone' },
    async (subject, id) => {
      const answer = await send(subject, 'DELETE', id, undefined)
      if (!isTrue(answer)) return failed(answer, `the response was ${tell(answer)}, not a bare true`)
      const own = await ownRoutes(subject)
      if (!own.ok) return skipped(own.why)
      const isThere = own.value.routes.some(({ routeID }) => String(routeID) === id)
      if (!isThere) subject.left.routes.delete(id)
      return verdictOf(own.value.answer, isThere ? `route ${id} is still there` : undefined)
    },
  ),
]

/** Deletes the remaining routes of this run, including any that should have been refused. */
export async function removeOwnRoutes(subject: Subject, signal: AbortSignal): Promise<void> {
  const { ask, routesPath, left } = subject
  const set = await subject.routesNow(signal)
  if (set.ok)
    for (const { routeID, name } of set.value.items)
      if (String(name).startsWith(nameOf(subject))) left.routes.add(String(routeID))
  for (const id of left.routes) {
    const answer = await ask({ method: 'DELETE', path: `${routesPath}/${id}`, credential: 'token' }, signal)
    if (answer.status < 300 || answer.status === 404) left.routes.delete(id)
    else subject.troubles.push(`${answer.asked} returned ${answer.status}: the route was not deleted.`)
  }
}
