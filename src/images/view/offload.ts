// Hands size lg over to what sends files better than this process: nginx in front of it, by X-Accel-Redirect.
//
// An answer that is handed over has an empty body, so it must reach only who asked for that: the request came by a proxy
// that TRUST_PROXY believes, and the proxy says that it sends the file. Nothing of the request gets into the location.
// Another way to hand over, such as a redirect to a store that signs addresses, is another case in `createOffload`.
import type { FastifyRequest } from 'fastify'
import type { Blobs } from '../../storage/port.ts'
import { renditionKey } from '../storage/blob-keys.ts'

/** Setting OFFLOAD: nginx's internal location for the folder of blobs, or undefined for none. */
export type OffloadSetting = { readonly kind: 'x-accel'; readonly location: string } | undefined

export interface OffloadDependencies {
  readonly setting: OffloadSetting
  readonly blobs: Pick<Blobs, 'locate'>
}

/** @returns the headers that hand over size lg of a content, or undefined if it must be sent from here. */
export type Offload = (
  request: FastifyRequest,
  sha256: string,
) => Readonly<Record<string, string>> | undefined

/** What nginx would judge by the time of the file, where Waymark has nothing to say. */
const judgedByTime = ['if-match', 'if-unmodified-since']

/** The header by which a proxy says so is the one of Rack and Rails. A HEAD has nothing to send. */
function isAskedFor({ ips = [], method, headers }: FastifyRequest): boolean {
  const isByTrustedProxy = ips.length > 1
  const isAsked = isByTrustedProxy && headers['x-sendfile-type'] === 'X-Accel-Redirect'
  return isAsked && method === 'GET' && judgedByTime.every((name) => headers[name] === undefined)
}

export function createOffload({ setting, blobs }: OffloadDependencies): Offload {
  const { locate } = blobs
  if (setting === undefined || locate === undefined) return () => undefined
  return (request, sha256) => {
    if (!isAskedFor(request)) return undefined
    return { 'X-Accel-Redirect': setting.location + locate(renditionKey(sha256, 'lg')) }
  }
}
