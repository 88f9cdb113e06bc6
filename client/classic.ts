// The classic surface in JSON, for existing programs. New programs should use v2.
import { keyed, type ChangeOptions, type MakeOptions } from './trails.ts'
import type { CallOptions, Transport } from './transport.ts'

/** A photo on the classic surface: positions are strings, '0' if unknown, and an empty title is ' '. */
export interface TrailImageDetails {
  readonly caption: string
  readonly detailUrl: string
  readonly displayName: string
  readonly imageID: number
  readonly lat: string
  readonly lon: string
  readonly mimeType: string
  /** YYYY-MM-DD hh:mm:ssZ */
  readonly postDate: string
  readonly submitterAcctID: number
  readonly title: string
  readonly trailID: number
  readonly trailName: string
}

export interface SentDetails {
  readonly title?: string | undefined
  readonly caption?: string | undefined
  readonly lat?: string | undefined
  readonly lon?: string | undefined
}

export interface ClassicRoute {
  readonly description: string
  readonly gpx: string
  /** Miles. */
  readonly length: number
  readonly name: string
  readonly routeID: number
  /** MM/DD/YY, or a full timestamp with the setting ROUTE_DATE=full. */
  readonly dateCreated: string
}

export interface SentRoute {
  readonly name?: string | undefined
  readonly description?: string | undefined
  /** Miles; 0 or omitted: computed from the gpx. */
  readonly length?: number | undefined
  readonly gpx?: string | undefined
}

export function createClassicCalls(transport: Transport) {
  const { request } = transport
  const ofTrail = (trailID: number): string => `/Trails/${trailID}/Images`
  const ofAccount = (acctID: number): string => `/Accounts/${acctID}/Routes`
  return {
    images: (trailID: number, options?: CallOptions) =>
      request<readonly TrailImageDetails[]>('GET', ofTrail(trailID), options),
    image: (trailID: number, imageID: number, options?: CallOptions) =>
      request<TrailImageDetails>('GET', `${ofTrail(trailID)}/${imageID}`, options),
    /** @returns the new imageID. */
    uploadBytes: (trailID: number, bytes: Blob, options?: MakeOptions) =>
      request<number>('POST', ofTrail(trailID), {
        ...keyed(options),
        body: bytes,
        headers: { 'content-type': bytes.type === '' ? 'image/jpeg' : bytes.type }, // the server detects the format
      }),
    setDetails: (trailID: number, imageID: number, details: SentDetails, options?: ChangeOptions) =>
      request<true>('PUT', `${ofTrail(trailID)}/${imageID}`, { ...options, body: details }),
    /** @throws WaymarkProblem `no-routes` if the account has none, unless the setting EMPTY_ROUTES says otherwise. */
    routes: (acctID: number, options?: CallOptions) =>
      request<readonly ClassicRoute[]>('GET', ofAccount(acctID), options),
    route: (acctID: number, routeID: number, options?: CallOptions) =>
      request<ClassicRoute>('GET', `${ofAccount(acctID)}/${routeID}`, options),
    /** @returns the new routeID. */
    createRoute: (acctID: number, route: SentRoute, options?: MakeOptions) =>
      request<number>('POST', ofAccount(acctID), { ...keyed(options), body: [route] }),
    changeRoute: (acctID: number, routeID: number, route: SentRoute, options?: ChangeOptions) =>
      request<true>('PUT', `${ofAccount(acctID)}/${routeID}`, { ...options, body: [route] }),
    /** The same, with the routeID only in the body. */
    changeNamedRoute: (
      acctID: number,
      route: SentRoute & { readonly routeID: number },
      options?: ChangeOptions,
    ) => request<true>('PUT', ofAccount(acctID), { ...options, body: [route] }),
    removeRoute: (acctID: number, routeID: number, options?: ChangeOptions) =>
      request<true>('DELETE', `${ofAccount(acctID)}/${routeID}`, { ...options, isRepeatable: false }),
    /** The bytes of one size. */
    imageBytes: (
      imageID: number,
      { size, format, ...options }: CallOptions & { readonly size?: string; readonly format?: 'webp' } = {},
    ) =>
      request<Response>('GET', '/ImageHandler', {
        ...options,
        query: { id: imageID, t: size, f: format },
        headers: { accept: '*/*' },
        as: 'response',
      }),
  }
}
