// A server that implements only Part A of the contract, like sites that never ran Waymark. It shares no code with
// Waymark. Tests of `waymark pull` can give it a prefix, one format only, and faults.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export interface StandInImage {
  readonly imageID: number | bigint
  readonly submitterAcctID: number | bigint
  displayName: string
  email: string
  title: string
  caption: string
  lat: string
  lon: string
  readonly mimeType: string
  /** `2024-05-06T07:08:09`. */
  readonly postDate: string
  readonly bytes: Buffer
}

export interface StandInTrail {
  readonly id: number
  name: string
  slug: string
  images: StandInImage[]
}

export interface StandInRoute {
  readonly routeID: number
  name: string
  description: string
  /** Digits of a JSON number. */
  readonly length: string
  readonly gpx: string
  /** `05/06/24`. */
  readonly dateCreated: string
}

/** How one response fails. */
export type Fault =
  | { readonly status: 429 | 500 | 502 | 503; readonly retryAfter?: string }
  /** Sends half of the body: with a Content-Length, chunked, or ended by closing the connection. */
  | { readonly cut: 'length' | 'chunked' | 'close' }
  | { readonly hangUp: true }

export interface StandInOptions {
  readonly trails: readonly StandInTrail[]
  /** By account; its token is `token-ID`. */
  readonly routes?: ReadonlyMap<number, readonly StandInRoute[]>
  readonly formats?: 'xml' | 'json' | 'both'
  /** Without slashes. */
  readonly prefix?: string
  readonly routesPrefix?: string
  /** @param times how often this path was requested before. */
  readonly faultOf?: (path: string, times: number) => Fault | undefined
  /** Sends responses in small chunks, at least one event-loop turn apart. */
  readonly isSlow?: boolean
  /** The response to this path waits for it. */
  readonly holdOf?: (path: string) => Promise<void> | undefined
  /** Called when a request arrives, when half of its response was sent, and when all of it was. */
  readonly onStep?: (step: 'came' | 'half' | 'sent', path: string) => void
}

export const standInKey = 'stand-in-key'
export const standInToken = (accountId: number): string => `token-${accountId}`

const xmlText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#13;')
const element = (name: string, text: string): string =>
  `<${name}${text === ' ' ? ' xml:space="preserve"' : ''}>${xmlText(text)}</${name}>`
const blank = (text: string): string => (text === '' ? ' ' : text)

/** A2.4. */
function imageXml(image: StandInImage, trail: StandInTrail): string {
  const fields: readonly (readonly [string, string])[] = [
    ['addUser', image.displayName],
    ['caption', blank(image.caption)],
    ['detailUrl', trail.slug],
    ['displayName', image.displayName],
    ['email', image.email],
    ['imageID', String(image.imageID)],
    ['lat', image.lat],
    ['lon', image.lon],
    ['mimeType', image.mimeType],
    ['postDate', image.postDate],
    ['submitterAcctID', String(image.submitterAcctID)],
    ['title', blank(image.title)],
    ['trailID', String(trail.id)],
    ['trailName', trail.name],
  ]
  return `<TrailImageDetails>${fields.map(([name, text]) => element(name, text)).join('')}</TrailImageDetails>`
}

/** A2, A2.1: every slash of a string is escaped. */
function imageJson(image: StandInImage, trail: StandInTrail): string {
  const text = (value: string): string => JSON.stringify(value).replaceAll('/', '\\/')
  return `{"caption":${text(blank(image.caption))},"detailUrl":${text(trail.slug)},"displayName":${text(image.displayName)},"imageID":${image.imageID},"lat":${text(image.lat)},"lon":${text(image.lon)},"mimeType":${text(image.mimeType)},"postDate":${text(`${image.postDate.replace('T', ' ')}Z`)},"submitterAcctID":${image.submitterAcctID},"title":${text(blank(image.title))},"trailID":${trail.id},"trailName":${text(trail.name)}}`
}

export const listXml = (trail: StandInTrail): string =>
  `<ArrayOfTrailImageDetails>${trail.images.map((image) => imageXml(image, trail)).join('')}</ArrayOfTrailImageDetails>`
export const listJson = (trail: StandInTrail): string =>
  `[${trail.images.map((image) => imageJson(image, trail)).join(',')}]`

/** A3, A6. */
export const routesJson = (routes: readonly StandInRoute[]): string =>
  `[${routes
    .map(
      ({ routeID, name, description, length, gpx, dateCreated }) =>
        `{"description":${JSON.stringify(blank(description))},"gpx":${JSON.stringify(gpx)},"length":${length},"name":${JSON.stringify(blank(name))},"routeID":${routeID},"dateCreated":"${dateCreated}"}`,
    )
    .join(',')}]`

interface Answer {
  readonly status: number
  readonly type: string
  readonly body: Buffer
}

const answer = (status: number, type: string, body: string | Buffer): Answer => ({
  status,
  type,
  body: Buffer.from(body),
})
const problem = (status: number, text: string): Answer => answer(status, 'text/plain', text)

export interface AskedPath {
  times: number
  /** Number of faulty responses. */
  faults: number
}

export async function startStandIn(t: TestContext, options: StandInOptions) {
  const { prefix = 'V1', routesPrefix = 'v1.6', formats = 'xml', routes = new Map() } = options
  const asked = new Map<string, AskedPath>()
  const { onStep = () => undefined, faultOf = () => undefined, holdOf = () => undefined } = options

  function imagesOf(url: URL, accept: string): Answer {
    if (url.searchParams.get('api_key') !== standInKey) return problem(401, 'Invalid API key')
    const id = Number(/\/Trails\/(\d+)\/Images\/$/.exec(url.pathname)?.[1])
    const trail = options.trails.find((one) => one.id === id)
    if (!trail) return problem(404, 'Invalid Trail ID')
    const wantsXml = formats === 'xml' || (formats === 'both' && accept.startsWith('application/xml'))
    return wantsXml
      ? answer(200, 'text/xml', listXml(trail))
      : answer(200, 'application/json', listJson(trail))
  }

  function imageOf(url: URL): Answer {
    const id = url.searchParams.get('id')
    const image = options.trails.flatMap(({ images }) => images).find(({ imageID }) => String(imageID) === id)
    if (!image || url.searchParams.get('t') !== 'lg') return problem(404, 'No such image')
    return answer(200, image.mimeType, image.bytes)
  }

  function routesOf(url: URL, { authorization = '' }: IncomingMessage['headers']): Answer {
    const id = Number(/\/Accounts\/(\d+)\/Routes$/.exec(url.pathname)?.[1])
    if (authorization !== `Bearer ${standInToken(id)}`) return problem(403, 'Forbidden')
    const own = routes.get(id)
    if (own === undefined) return problem(404, 'Invalid Account ID')
    return own.length === 0
      ? problem(404, 'No routes found')
      : answer(200, 'application/json', routesJson(own))
  }

  function answerTo(request: IncomingMessage, url: URL): Answer {
    const { pathname } = url
    if (request.method !== 'GET') return problem(405, 'GET alone')
    if (pathname.startsWith(`/${prefix}/Trails/`)) return imagesOf(url, request.headers.accept ?? '')
    if (pathname === `/${prefix}/ImageHandler`) return imageOf(url)
    if (pathname.startsWith(`/${routesPrefix}/Accounts/`)) return routesOf(url, request.headers)
    return problem(404, 'Not found')
  }

  /** Sends half of the body, then fails as the fault says. */
  function sendCut(
    response: ServerResponse,
    { type, body }: Answer,
    cut: 'length' | 'chunked' | 'close',
  ): void {
    const half = body.subarray(0, Math.ceil(body.length / 2))
    if (cut === 'close') {
      // HTTP/1.0: only the end of the connection marks the end of the body.
      const { socket } = response
      socket?.end(Buffer.concat([Buffer.from(`HTTP/1.0 200 OK\r\nContent-Type: ${type}\r\n\r\n`), half]))
      return
    }
    response.writeHead(200, {
      'content-type': type,
      ...(cut === 'length' && { 'content-length': String(body.length) }),
    })
    response.write(half, () => response.destroy())
  }

  function send(response: ServerResponse, { status, type, body }: Answer, path: string): void {
    response.writeHead(status, { 'content-type': type, 'content-length': String(body.length) })
    const half = Math.ceil(body.length / 2)
    response.write(body.subarray(0, half), () => {
      onStep('half', path)
      const rest = (): void => {
        response.end(body.subarray(half), () => onStep('sent', path))
      }
      if (options.isSlow === true) setTimeout(rest, 5)
      else rest()
    })
  }

  const server = createServer((request, response) => {
    const path = request.url ?? ''
    const known = asked.get(path) ?? { times: 0, faults: 0 }
    const fault = faultOf(path, known.times)
    asked.set(path, { times: known.times + 1, faults: known.faults + (fault ? 1 : 0) })
    onStep('came', path)
    const made = answerTo(request, new URL(path, 'http://stand-in'))
    const held = holdOf(path)
    if (held !== undefined) void held.then(() => send(response, made, path))
    else if (fault === undefined) send(response, made, path)
    else if ('hangUp' in fault) request.socket.destroy()
    else if ('cut' in fault) sendCut(response, made, fault.cut)
    else {
      const retryAfter = fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter }
      response.writeHead(fault.status, { 'content-type': 'text/plain', ...retryAfter }).end('not now')
    }
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  return {
    origin,
    base: `${origin}/${prefix}`,
    routesBase: `${origin}/${routesPrefix}`,
    /** By path and query, the number of requests, including interrupted ones. */
    asked: asked as ReadonlyMap<string, AskedPath>,
    forgetAsked: (): void => asked.clear(),
  }
}

export type StandIn = Awaited<ReturnType<typeof startStandIn>>

/** The path with the most requests beyond those that the faults make necessary. */
export function mostAsked(asked: StandIn['asked']): { path: string; times: number } {
  let max = { path: '', times: 0 }
  for (const [path, { times, faults }] of asked)
    if (times - faults > max.times) max = { path, times: times - faults }
  return max
}
