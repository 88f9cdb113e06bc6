// A client of the classic route endpoints for one person. JSON and XML are written here, independently of the code under
// test.
import assert from 'node:assert/strict'
import type { Person, Waymark } from '../helpers/waymark.ts'
import { send, type WireRequest } from '../helpers/wire.ts'

/** A route to send. A string of digits for `length` becomes a bare JSON number. */
export type SentRoute = Readonly<Record<string, unknown>>

export interface SeenRoute {
  readonly description: string
  readonly gpx: string
  readonly length: number
  readonly name: string
  readonly routeID: number
  readonly dateCreated: string
}

export interface BodyForm {
  readonly name: 'json' | 'xml'
  readonly type: string
  /** A single route. */
  readonly one: (route: SentRoute) => string
  /** Routes in an array. */
  readonly many: (...routes: readonly SentRoute[]) => string
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#13;')

const xmlElement = ([name, value]: readonly [string, unknown]): string => {
  if (value === null) return `<${name} xsi:nil="true"/>`
  const text = escapeXml(typeof value === 'string' ? value : JSON.stringify(value))
  return `<${name}>${typeof value === 'object' ? `<x>${text}</x>` : text}</${name}>`
}

const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
const xmlRoute = (route: SentRoute, attributes = ''): string =>
  `<Route${attributes}>${Object.entries(route).map(xmlElement).join('')}</Route>`

export const jsonForm: BodyForm = {
  name: 'json',
  type: 'application/json',
  one: (route) => JSON.stringify(route),
  many: (...routes) => JSON.stringify(routes),
}

export const xmlForm: BodyForm = {
  name: 'xml',
  type: 'application/xml',
  one: (route) => xmlRoute(route, ` ${xsi}`),
  many: (...routes) =>
    `<ArrayOfRoute ${xsi}>${routes.map((route) => xmlRoute(route)).join('')}</ArrayOfRoute>`,
}

export const forms: readonly BodyForm[] = [jsonForm, xmlForm]

/** A GPX with one track of these points, `lat,lon`. */
export const gpxOf = (...points: readonly string[]): string => {
  const written = points.map((point) => {
    const [lat, lon] = point.split(',')
    return `<trkpt lat="${lat}" lon="${lon}"/>`
  })
  return `<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>${written.join('')}</trkseg></trk></gpx>`
}

export interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: WireRequest['body']
}

export function createRouteClient(waymark: Pick<Waymark, 'url'>, { accountId, token }: Person) {
  const set = `/Accounts/${accountId}/Routes`
  const item = (routeId: number | string): string => `${set}/${routeId}`

  const ask = (path: string, { method, headers, body }: Asked = {}): Promise<Response> =>
    send(waymark.url, {
      path,
      ...(method === undefined ? {} : { method }),
      ...(body === undefined ? {} : { body }),
      headers: { authorization: `Bearer ${token}`, ...headers },
    })

  /** A raw body in the given format. */
  const write = (
    method: 'POST' | 'PUT',
    path: string,
    body: WireRequest['body'],
    {
      type = jsonForm.type,
      headers = {},
    }: { type?: string; headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Response> =>
    ask(path, {
      method,
      headers: { 'content-type': type, ...headers },
      ...(body === undefined ? {} : { body }),
    })

  async function read(routeId: number): Promise<{ text: string; route: SeenRoute; etag: string }> {
    const answer = await ask(item(routeId))
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    return { text, route: JSON.parse(text) as SeenRoute, etag: answer.headers.get('etag') ?? '' }
  }

  return {
    set,
    item,
    ask,
    write,
    read,

    /**
     * Creates a route, which must succeed.
     * @returns its id.
     */
    make: async (route: SentRoute | string, form = jsonForm): Promise<number> => {
      const body = typeof route === 'string' ? route : form.many(route)
      const answer = await write('POST', set, body, { type: form.type })
      const text = await answer.text()
      assert.equal(answer.status, 201, text)
      return Number(text)
    },

    /** Changes a route, which must succeed. */
    change: async (routeId: number, route: SentRoute | string, form = jsonForm): Promise<void> => {
      const body = typeof route === 'string' ? route : form.one(route)
      const answer = await write('PUT', item(routeId), body, { type: form.type })
      const text = await answer.text()
      assert.equal(`${answer.status} ${text}`, '200 true')
    },

    /** The digits of the length in JSON. */
    lengthOf: async (routeId: number): Promise<string> => {
      const { text } = await read(routeId)
      return /"length":([^,]*),"name":/.exec(text)?.[1] ?? `no length in ${text.slice(-200)}`
    },

    /** The raw text of an XML element of the route. */
    xmlOf: async (routeId: number): Promise<string> => {
      const answer = await ask(item(routeId), { headers: { accept: 'application/xml' } })
      return answer.text()
    },

    /** The ids of the set, in order; empty for `No routes found`. */
    ids: async (): Promise<number[]> => {
      const answer = await ask(set)
      if (answer.status === 404) return []
      return ((await answer.json()) as SeenRoute[]).map(({ routeID }) => routeID)
    },
  }
}

export type RouteClient = ReturnType<typeof createRouteClient>
