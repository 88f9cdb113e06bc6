// How a proxy alters a Waymark's responses so that one requirement is violated.
import sharp from 'sharp'
import type { Alter, Exchange } from './verify-helpers.ts'

export interface Breach {
  /** The check that must find it. */
  readonly id: string
  /** The fault of the server. */
  readonly wrong: string
  readonly alter: Alter
  /** Part of the check's message. */
  readonly seen: RegExp
  /** Other checks that inevitably find it too. */
  readonly also?: readonly string[]
  /** Checks of --write that create what this one inspects. */
  readonly after?: readonly string[]
}

export const isOk = ({ status }: Exchange): boolean => status < 300
export const isList = (exchange: Exchange): boolean =>
  isOk(exchange) && exchange.method === 'GET' && /\/Images\/?\?/i.test(exchange.path)
export const isJson = ({ headers }: Exchange): boolean => /[/+]json/.test(headers['content-type'] ?? '')
export const isXml = ({ headers }: Exchange): boolean => /[/+]xml/.test(headers['content-type'] ?? '')
export const isFile = (exchange: Exchange, size: string): boolean =>
  isOk(exchange) && exchange.path.includes('/ImageHandler?') && exchange.path.includes(`t=${size}`)
export const isSet = (exchange: Exchange): boolean =>
  exchange.path.endsWith('/Routes') && isJson(exchange) && isOk(exchange)

/** Replaces text in the bodies of matching responses. */
function replacing(isMeant: (exchange: Exchange) => boolean, from: string | RegExp, to: string): Alter {
  return (exchange) => {
    if (isMeant(exchange)) exchange.body = Buffer.from(exchange.body.toString().replace(from, to))
  }
}

export const inJsonList = (from: string | RegExp, to: string): Alter =>
  replacing((exchange) => isList(exchange) && isJson(exchange), from, to)
export const inXmlList = (from: string | RegExp, to: string): Alter =>
  replacing((exchange) => isList(exchange) && isXml(exchange), from, to)
export const inRoutes = (from: string | RegExp, to: string): Alter =>
  replacing((exchange) => isSet(exchange) && exchange.method === 'GET', from, to)

export function answering(method: string, path: RegExp, change: (exchange: Exchange) => void): Alter {
  return (exchange) => {
    if (exchange.method === method && path.test(exchange.path)) change(exchange)
  }
}

/** Replaces the response. */
export const answerOf =
  (status: number, body: string, type = 'application/json') =>
  (exchange: Exchange): void => {
    Object.assign(exchange, { status, headers: { 'content-type': type }, body: Buffer.from(body) })
  }

/** A grey picture of this size instead of the right one. */
export const grey = await Promise.all(
  [300, 151, 640].map((side) =>
    sharp({ create: { width: side, height: side, channels: 3, background: '#888888' } })
      .jpeg()
      .toBuffer(),
  ),
)

export const sizeGiven =
  (size: string, bytes: Buffer | undefined): Alter =>
  (exchange) => {
    if (isFile(exchange, size) && bytes) exchange.body = bytes
    if (isFile(exchange, size)) exchange.headers['content-type'] = 'image/jpeg'
  }

export const photo = ['upload-answer'] as const
export const image = /\/Images\/\d+$/
export const upload = /\/Images\/$/
export const routes = /\/Routes$/
