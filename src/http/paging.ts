// Paging as v2 sets have it: `limit`, an opaque `cursor`, and the Link to the next page.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { parseId } from '../shared/classic/classic-paths.ts'
import type { Box } from '../shared/geo/measures.ts'
import { refuse } from '../errors.ts'
import { sendRepresentation } from './representation.ts'

const standardLimit = 50
const maxLimit = 500

/** The parameters of every set. */
export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxLimit, default: standardLimit })),
  cursor: Type.Optional(Type.String({ description: 'The "next" of a previous response.' })),
}

/** The refusal of a parameter. */
export const wrongParameter = (name: string, rule: string) =>
  refuse('invalid-query', { detail: `The parameter ${name} must be ${rule}.` })

/**
 * The text of a parameter; undefined if it is absent. @throws refusal `invalid-query` if it is repeated or not a text.
 */
export function queryText(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Record<string, unknown>)[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string') throw wrongParameter(name, 'given once')
  // SQLite's LIKE ends at it, and would find everything; PostgreSQL takes no text that has one.
  if (value.includes('\0')) throw wrongParameter(name, 'text without the character U+0000')
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
    throw wrongParameter(name, [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' or '))
  return value
}

/** @throws refusal `invalid-query`. */
export function queryId(request: FastifyRequest, name: string): number | undefined {
  const text = queryText(request, name)
  if (text === undefined) return undefined
  const id = parseId(text)
  if (id === undefined) throw wrongParameter(name, 'an id')
  return id
}

/** The parameter bbox. @throws refusal `invalid-query`. */
export function queryBox(request: FastifyRequest): Box | undefined {
  const text = queryText(request, 'bbox')
  if (text === undefined) return undefined
  const numbers = text
    .split(',')
    .map((part) => (/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(part.trim()) ? Number(part) : Number.NaN))
  const [west = Number.NaN, south = Number.NaN, east = Number.NaN, north = Number.NaN] = numbers
  const isGood =
    numbers.length === 4 &&
    [west, east].every((degrees) => Math.abs(degrees) <= 180) &&
    [south, north].every((degrees) => Math.abs(degrees) <= 90) &&
    south <= north
  if (!isGood) throw wrongParameter('bbox', 'four degrees: west,south,east,north')
  return { west, south, east, north }
}

/** A number that is not negative. @throws refusal `invalid-query`. */
export function queryNumber(request: FastifyRequest, name: string): number | undefined {
  const text = queryText(request, name)
  if (text === undefined) return undefined
  if (
    !/^(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(text) ||
    text.length > 30 ||
    Number(text) === Infinity
  )
    throw wrongParameter(name, 'a number such as 12.5')
  return Number(text)
}

/** A day such as 2026-05-14. @throws refusal `invalid-query`. */
export function queryDay(request: FastifyRequest, name: string): string | undefined {
  const text = queryText(request, name)
  if (text === undefined) return undefined
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(text) : undefined
  // A Date takes 30 February for 2 March.
  if (day === undefined || Number.isNaN(day.getTime()) || !day.toISOString().startsWith(text))
    throw wrongParameter(name, 'a day such as 2026-05-14')
  return text
}

const degrees = (max: string): string =>
  String.raw`[+-]?(?:${max}(?:\.0*)?|(?:${max === '180' ? String.raw`1[0-7]\d|` : ''}${max === '180' ? String.raw`\d?\d` : String.raw`[0-8]?\d`})(?:\.\d*)?)`

export const boxQuery = Type.Optional(
  Type.String({
    format: 'bbox',
    pattern: `^${degrees('180')},${degrees('90')},${degrees('180')},${degrees('90')}$`,
    description:
      'west,south,east,north in degrees; south is at most north, and west may be greater than east, across the antimeridian.',
  }),
)

/** An id in a query. */
export const idQuery = (description?: string) =>
  Type.Optional(
    Type.Integer({
      format: 'int64',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      ...(description === undefined ? {} : { description }),
    }),
  )

const day = (description: string) => Type.Optional(Type.String({ format: 'date', description }))

/** The days on which images were taken. */
export const takenQuery = {
  takenFrom: day('Taken on this day or later, by the date at the place.'),
  takenTo: day('Taken on this day or earlier.'),
}

export interface PageRequest {
  readonly limit: number
  /** What the cursor holds: the parts given to `cursorOf`. */
  readonly after: readonly string[] | undefined
}

export const writeCursor = (parts: readonly (string | number)[]): string =>
  Buffer.from(parts.join('\n')).toString('base64url')

/**
 * Whole numbers, but for the last part, which may be the name of something. Times before 1970 are negative: other servers
 * store the year 1 for a date that was never set.
 */
const cursorForm = /^(?:-?\d{1,16}\n)*[\w-]{1,256}$/

/**
 * @param parts how many the cursor of this set has.
 * @throws refusal `invalid-query`.
 */
export function readPage(request: FastifyRequest, parts: number): PageRequest {
  const asked = queryText(request, 'limit') ?? String(standardLimit)
  const limit = /^\d{1,9}$/.test(asked) ? Number(asked) : 0
  if (limit < 1 || limit > maxLimit) throw wrongParameter('limit', `a whole number from 1 to ${maxLimit}`)
  const cursor = queryText(request, 'cursor')
  if (cursor === undefined) return { limit, after: undefined }
  const text = Buffer.from(cursor, 'base64url').toString()
  const after = text.split('\n')
  if (!cursorForm.test(text) || after.length !== parts)
    throw wrongParameter('cursor', 'the "next" of a previous response')
  return { limit, after }
}

export interface PageOptions<Row, Item> {
  /** One more than the page shows, if there are more. */
  readonly rows: readonly Row[]
  readonly limit: number
  /** Undefined leaves the row out: its subject was deleted while the page was made. */
  readonly show: (row: Row) => Item | undefined
  /** The values that a cursor needs to continue after the row. */
  readonly cursorOf: (row: Row) => readonly (string | number)[]
  readonly publicUrl: string
}

/** Sets the Link header to the next page, if there is one. */
export function linkNext(
  request: FastifyRequest,
  reply: FastifyReply,
  { next, publicUrl }: { readonly next: string | null; readonly publicUrl: string },
): void {
  if (next === null) return
  const [path = '', query = ''] = request.url.split('?', 2)
  const parameters = new URLSearchParams(query)
  parameters.set('cursor', next)
  parameters.delete('api_key')
  void reply.header('Link', `<${publicUrl}${path}?${parameters.toString()}>; rel="next"`)
}

/** Sends a page of a set, with its ETag and the Link to the next. */
export function sendPage<Row, Item>(
  request: FastifyRequest,
  reply: FastifyReply,
  { show, ...options }: PageOptions<Row, Item>,
): FastifyReply {
  const textOf = (row: Row): string | undefined => {
    const item = show(row)
    return item === undefined ? undefined : JSON.stringify(item)
  }
  return sendPageOfTexts(request, reply, { ...options, show: textOf })
}

/** The same of items that are written in JSON already. */
export function sendPageOfTexts<Row>(
  request: FastifyRequest,
  reply: FastifyReply,
  { rows, limit, show, cursorOf, publicUrl }: PageOptions<Row, string>,
): FastifyReply {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const next = rows.length > limit && last !== undefined ? writeCursor(cursorOf(last)) : null
  linkNext(request, reply, { next, publicUrl })
  const items = page.map(show).filter((item) => item !== undefined)
  const body = `{"items":[${items.join(',')}],"next":${JSON.stringify(next)}}`
  return sendRepresentation(request, reply, { mediaType: 'application/json', body })
}
