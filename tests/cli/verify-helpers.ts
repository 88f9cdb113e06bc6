// A server for `waymark verify`, and a proxy in front of it that violates one requirement at a time.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { createAsker } from '../../cli/verify/asker.ts'
import type { CheckGroup, Need } from '../../cli/verify/check.ts'
import { checkGroups, runChecks, type Outcome } from '../../cli/verify/run-checks.ts'
import { createSubject } from '../../cli/verify/subject.ts'
import { jpegPicture, pngPicture } from '../helpers/pictures.ts'
import { startWaymark, type Person, type Waymark } from '../helpers/waymark.ts'

export const trailId = 4711

export interface Site {
  readonly waymark: Waymark
  /** Has a route. */
  readonly walker: Person
  /** Has no route. */
  readonly newcomer: Person
  readonly apiKey: string
}

const gpx = '<gpx version="1.1" creator="me"><rte><rtept lat="46.94" lon="7.44"/></rte></gpx>'

/** A trail with three photos: with texts, without, and smaller than any size. */
export async function startSite(): Promise<Site> {
  const waymark = await startWaymark()
  return fill(waymark).catch(async (error: unknown) => {
    await waymark.close() // or the process would never exit
    throw error
  })
}

async function fill(waymark: Waymark): Promise<Site> {
  await waymark.addTrail(trailId, 'Rim Trail', 'rim-trail')
  const walker = await waymark.addPerson()
  const newcomer = await waymark.addPerson()
  const reviewer = await waymark.addPerson({ role: 'reviewer' })
  const photos = [
    await jpegPicture({ width: 800, height: 500, seed: 1 }),
    await pngPicture({ width: 120, height: 700, seed: 2 }),
    await jpegPicture({ width: 90, height: 60, seed: 3 }),
  ]
  for (const [at, bytes] of photos.entries()) {
    const imageId = await waymark.upload(walker, trailId, bytes)
    const put = (path: string, body: unknown): Promise<Response> =>
      waymark.fetch(path, {
        method: 'PUT',
        token: walker.token,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    if (at === 0)
      await put(`/Trails/${trailId}/Images/${imageId}`, { title: 'Grat/Ridge', lat: '46.5', lon: '7.25' })
    await waymark.review(reviewer, imageId, 'approve')
    waymark.system.advance(60_000)
  }
  await waymark.fetch(`/Accounts/${walker.accountId}/Routes`, {
    method: 'POST',
    token: walker.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([{ name: 'Rim', description: '', length: 2.5, gpx }]),
  })
  return { waymark, walker, newcomer, apiKey: await waymark.addKey(walker.accountId) }
}

export interface Exchange {
  readonly method: string
  readonly path: string
  readonly accept: string
  readonly sent: Buffer
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

export type Alter = (exchange: Exchange) => void

/**
 * Forwards everything, and passes each response to `alter`.
 * @param translate maps requests, if the proxy uses other ids.
 */
export async function startAlteringProxy(
  t: TestContext,
  target: string,
  alter: Alter,
  translate: (text: string) => string = (text) => text,
): Promise<string> {
  const passOn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const { method = 'GET' } = request
    const path = translate(request.url ?? '/')
    const whole = Buffer.concat(chunks)
    const isPhoto = request.headers['content-type']?.startsWith('image/') === true
    const sent = isPhoto ? whole : Buffer.from(translate(whole.toString()))
    const headers = new Headers({ 'accept-encoding': 'identity' }) // responses must be uncompressed to be altered
    for (const name of ['accept', 'authorization', 'content-type', 'if-none-match', 'range'])
      if (request.headers[name] !== undefined) headers.set(name, String(request.headers[name]))
    const hasBody = method !== 'GET' && method !== 'HEAD'
    const answer = await fetch(`${target}${path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(hasBody && { body: sent }),
    })
    const exchange: Exchange = {
      method,
      path,
      accept: request.headers.accept ?? '',
      sent,
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: Buffer.from(await answer.arrayBuffer()),
    }
    alter(exchange)
    const { connection: _, 'transfer-encoding': __, 'keep-alive': ___, ...kept } = exchange.headers
    const length =
      method === 'HEAD' || exchange.status === 304 ? {} : { 'content-length': exchange.body.length }
    response.writeHead(exchange.status, { ...kept, ...length })
    response.end(exchange.body)
  }
  const server = createServer((request, response) => {
    passOn(request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export interface LookOptions {
  readonly site: Site
  readonly baseUrl: string
  readonly person?: Person
  readonly write?: boolean
  /** As numbered by the server, if that differs from the site. */
  readonly trail?: string
  readonly account?: string
  /** Only these checks. Those of --write also need the checks that create what they inspect. */
  readonly ids?: readonly string[]
}

const isAmong = (ids: readonly string[] | undefined, id: string): boolean =>
  ids === undefined || ids.includes(id)

/** Runs the checks in this process. */
export async function lookAt({
  site,
  baseUrl,
  person = site.walker,
  write = false,
  ids,
  ...other
}: LookOptions) {
  const { trail = String(trailId), account } = other
  const given = new Set<Need>(['trail', 'account', 'key', 'token'])
  if (write) given.add('write')
  const { apiKey } = site
  const ask = createAsker({
    baseUrl,
    imageHandlerUrl: `${baseUrl}/ImageHandler`,
    apiKey,
    token: async () => person.token,
    timeoutMs: 10_000,
    signal: new AbortController().signal,
  })
  const accountId = account ?? person.accountId
  const word = Math.random().toString(36).slice(2, 10)
  const place = { trailId: trail, accountId: String(accountId) }
  const subject = createSubject({ ask, given, ...place, maxPhotos: 3, isPrefixed: false, word })
  const groups: CheckGroup[] = checkGroups.map(({ name, checks }) => ({
    name,
    checks: checks.filter(({ id }) => isAmong(ids, id)),
  }))
  return runChecks(subject, baseUrl, { groups })
}

export const idsOf = (outcomes: readonly Outcome[], result: Outcome['verdict']['result']): string[] =>
  outcomes.filter(({ verdict }) => verdict.result === result).map(({ id }) => id)
