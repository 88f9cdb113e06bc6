// Reads a style or the description of its tiles as a browser on one of our pages would: at the operator's request, or
// at an admin's, who must not make this server contact internal addresses.
import type { IncomingMessage } from 'node:http'
import type { AddressPolicy } from '../events/webhooks/addresses.ts'
import { requestPinned } from '../events/webhooks/pinned-request.ts'
import { addressesOf, readTarget, resolveName, type Resolve } from '../events/webhooks/target.ts'
import { isObject, type ReadDocument, type ReadJson } from './map-style.ts'

const timeoutSeconds = 5
const maxBytes = 4 * 1024 ** 2
const maxRedirects = 3

export type Send = (url: string, init: RequestInit) => Promise<Response>

const headersFor = (ours: string) => ({
  accept: 'application/json',
  'accept-encoding': 'identity',
  origin: ours,
})

interface Answered {
  readonly address: string
  readonly status: number
  /** Access-Control-Allow-Origin. */
  readonly lets: string | null | undefined
  readonly coding: string | null | undefined
  readonly chunks: AsyncIterable<Uint8Array>
}

async function documentOf(answered: Answered, ours: string): Promise<ReadDocument> {
  const { address, status, lets, coding, chunks } = answered
  if (status !== 200) throw new Error(`answers ${status}`)
  if (new URL(address).origin !== ours && lets !== '*' && lets !== ours)
    throw new Error(`does not let pages of ${ours} read it (Access-Control-Allow-Origin)`)
  if (coding && coding !== 'identity') throw new Error('is compressed although that was not requested')
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Error('is longer than 4 MB')
    parts.push(chunk)
  }
  const document = parsed(Buffer.concat(parts).toString('utf8'))
  if (!isObject(document)) throw new Error('is not a JSON object')
  return { document, address }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** For URLs in the operator's settings. @param ours the origin of our pages. */
export function createReader(ours: string, send: Send = fetch): ReadJson {
  return async (address) => {
    const signal = AbortSignal.timeout(timeoutSeconds * 1_000)
    const answer = await send(address, { headers: headersFor(ours), signal })
    return documentOf(
      {
        address: answer.url === '' ? address : answer.url,
        status: answer.status,
        lets: answer.headers.get('access-control-allow-origin'),
        coding: undefined, // removed by fetch
        chunks: answer.body ? (answer.body as AsyncIterable<Uint8Array>) : nothing(),
      },
      ours,
    )
  }
}

export interface GuardOptions {
  /** The same as for webhooks (WEBHOOK_ALLOW). */
  readonly addressPolicy: AddressPolicy
  readonly resolve?: Resolve | undefined
}

async function ask(
  address: string,
  ours: string,
  { addressPolicy, resolve = resolveName }: GuardOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const reading = readTarget(address, addressPolicy)
  if ('whyNot' in reading) throw new Error(`has an address that ${reading.whyNot}`)
  const { target } = reading
  const found = await addressesOf(target, { addressPolicy, resolve, signal }).catch(() => undefined)
  if (!found) throw new Error(`is on ${target.host}, whose name cannot be resolved`)
  if ('whyNot' in found) throw new Error(`has an address that ${found.whyNot}`)
  return requestPinned(target, found.addresses, { method: 'GET', headers: headersFor(ours) }, signal).catch(
    (error: unknown) => {
      throw new Error(`is on ${target.host}, which cannot be reached`, { cause: error })
    },
  )
}

/** For URLs that an admin enters. */
export function createGuardedReader(ours: string, options: GuardOptions): ReadJson {
  return async (first) => {
    const signal = AbortSignal.timeout(timeoutSeconds * 1_000)
    let address = first
    try {
      for (let hop = 0; hop <= maxRedirects; hop += 1) {
        const response = await ask(address, ours, options, signal)
        const { statusCode: status = 0, headers } = response
        const next = status >= 300 && status < 400 ? URL.parse(headers.location ?? '', address) : null
        try {
          if (next === null) {
            const coding = headers['content-encoding']
            const lets = headers['access-control-allow-origin']
            return await documentOf({ address, status, lets, coding, chunks: response }, ours)
          }
        } finally {
          response.destroy()
        }
        address = next.href
      }
    } catch (error) {
      throw signal.aborted
        ? new Error(`does not answer within ${timeoutSeconds} seconds`, { cause: error })
        : error
    }
    throw new Error(`redirects more than ${maxRedirects} times`)
  }
}
