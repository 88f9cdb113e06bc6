// Paging as v2 sets have it: `limit`, an opaque `cursor`, and the Link to the next page.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { refuse } from '../errors.ts'
import { sendRepresentation } from './representation.ts'

const standardLimit = 50
const mostLimit = 500

/** The parameters of every set. */
export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: mostLimit, default: standardLimit })),
  cursor: Type.Optional(Type.String({ description: 'The "next" of an earlier answer.' })),
}

const invalid = (detail: string) => refuse('invalid-query', { detail })

/** A parameter that is given once, or undefined. @throws refusal `invalid-query`. */
export function queryText(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Record<string, unknown>)[name]
  if (value === undefined || value === '') return undefined
  if (typeof value !== 'string') throw invalid(`${name} may be given once.`)
  return value
}

/** @throws refusal `invalid-query`. */
export function queryWord<const Words extends readonly string[]>(
  request: FastifyRequest,
  name: string,
  words: Words,
): Words[number] | undefined {
  const value = queryText(request, name)
  if (value !== undefined && !words.includes(value))
    throw invalid(`${name} must be one of ${words.join(', ')}.`)
  return value
}

/** @throws refusal `invalid-query`. */
export function queryId(request: FastifyRequest, name: string): number | undefined {
  const value = queryText(request, name)
  if (value === undefined) return undefined
  const id = /^[1-9]\d{0,15}$/.test(value) ? Number(value) : Number.NaN
  if (!Number.isSafeInteger(id)) throw invalid(`${name} must be an id.`)
  return id
}

export interface PageRequest {
  readonly limit: number
  /** What the cursor holds: the parts given to `cursorOf`. */
  readonly after: readonly string[] | undefined
}

const writeCursor = (parts: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(parts.map(String))).toString('base64url')

function readCursor(text: string): readonly string[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    if (Array.isArray(parts) && parts.every((part): part is string => typeof part === 'string')) return parts
  } catch {
    // said below
  }
  throw invalid('cursor must be the "next" of an earlier answer.')
}

/** @throws refusal `invalid-query`. */
export function readPage(request: FastifyRequest): PageRequest {
  const asked = queryText(request, 'limit') ?? String(standardLimit)
  const limit = /^\d{1,4}$/.test(asked) ? Number(asked) : 0
  if (limit < 1 || limit > mostLimit) throw invalid(`limit must be a whole number from 1 to ${mostLimit}.`)
  const cursor = queryText(request, 'cursor')
  return { limit, after: cursor === undefined ? undefined : readCursor(cursor) }
}

export interface PageOptions<Row, Item> {
  /** One more than the page holds, where there are more. */
  readonly rows: readonly Row[]
  readonly limit: number
  readonly show: (row: Row) => Item
  /** What a cursor needs to go on after the row. */
  readonly cursorOf: (row: Row) => readonly (string | number)[]
  readonly publicUrl: string
}

/** Sends a page of a set, with its ETag and the Link to the next. */
export function sendPage<Row, Item>(
  request: FastifyRequest,
  reply: FastifyReply,
  { rows, limit, show, cursorOf, publicUrl }: PageOptions<Row, Item>,
): FastifyReply {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const next = rows.length > limit && last !== undefined ? writeCursor(cursorOf(last)) : null
  if (next !== null) {
    const [path = '', query = ''] = request.url.split('?', 2)
    const parameters = new URLSearchParams(query)
    parameters.set('cursor', next)
    parameters.delete('api_key')
    void reply.header('Link', `<${publicUrl}${path}?${parameters.toString()}>; rel="next"`)
  }
  const body = JSON.stringify({ items: page.map(show), next })
  return sendRepresentation(request, reply, { mediaType: 'application/json', body })
}
