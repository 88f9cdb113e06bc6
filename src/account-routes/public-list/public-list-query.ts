// Parses the query of GET /v2/routes: filters, order and page. Unknown parameters are refused, not ignored.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { fold } from '../../database/matching.ts'
import {
  boxQuery,
  pageQuery,
  queryBox,
  queryId,
  queryNumber,
  queryText,
  queryWord,
  readPage,
  wrongParameter,
} from '../../http/paging.ts'
import { refuse } from '../../errors.ts'
import { stringEnum } from '../../shared/v2/schema-parts.ts'
import type { ListPlace, PublicFilters, PublicOrder } from './public-list-table.ts'
import { countCharacters } from '../../shared/text/characters.ts'

const maxWordsLength = 200
const orders = ['newest', 'length', 'ascent'] as const satisfies readonly PublicOrder[]

const nonNegative = (description: string) => Type.Optional(Type.Number({ minimum: 0, description }))

export const publicListQuery = Type.Object({
  q: Type.Optional(
    Type.String({
      maxLength: maxWordsLength,
      description: 'Part of the name or description, case-insensitive.',
    }),
  ),
  bbox: boxQuery,
  minMiles: nonNegative('Limit for `lengthMiles`.'),
  maxMiles: nonNegative('Limit for `lengthMiles`.'),
  minAscent: nonNegative('Metres. Routes with unknown ascent are not included.'),
  maxAscent: nonNegative('Metres. Routes with unknown ascent are not included.'),
  nearTrail: Type.Optional(
    Type.Integer({
      format: 'int64',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'ID of a trail that the route uses: at least 200 m of it are within 50 m of the line of the trail, or half of a route shorter than 400 m.',
    }),
  ),
  order: Type.Optional(
    stringEnum(
      orders,
      'The newest, the longest, or those with the most ascent first; `newest` by default. Unknown ascents come last.',
    ),
  ),
  ...pageQuery,
})

/** An API key may also be in the query. */
const known = new Set([...Object.keys(publicListQuery.properties), 'api_key'])

/** Differs by order, because a cursor is valid for one order only. */
const markOf = (order: PublicOrder): string => order.slice(0, 1)

export const cursorOf = (order: PublicOrder, { value, id }: ListPlace): readonly (string | number)[] => [
  id,
  markOf(order) + Buffer.from(String(value)).toString('base64url'),
]

/** @throws refusal `invalid-query`. */
function placeIn(order: PublicOrder, [id, marked = '']: readonly string[]): ListPlace {
  const text = Buffer.from(marked.slice(1), 'base64url').toString()
  const place = { value: Number(text), id: Number(id) }
  // Integer timestamps: PostgreSQL does not compare them with other numbers.
  const isValue = order === 'newest' ? Number.isSafeInteger(place.value) : Number.isFinite(place.value)
  const isOurs =
    isValue &&
    marked.startsWith(markOf(order)) &&
    String(place.value) === text &&
    Number.isSafeInteger(place.id)
  if (!isOurs) throw wrongParameter('cursor', 'the "next" of a previous response in the same order')
  return place
}

function wordsOf(request: FastifyRequest): string | undefined {
  const words = queryText(request, 'q')?.trim()
  if (words === undefined || words === '') return undefined
  if (countCharacters(words) > maxWordsLength)
    throw wrongParameter('q', `at most ${maxWordsLength} characters`)
  return fold(words)
}

/** @throws refusal `invalid-query` naming the parameter. */
export function readPublicListQuery(request: FastifyRequest): {
  readonly filters: PublicFilters
  readonly after: ListPlace | undefined
  readonly limit: number
} {
  const unknown = Object.keys(request.query as object).find((name) => !known.has(name))
  if (unknown !== undefined)
    throw refuse('invalid-query', { detail: `The parameter ${unknown.slice(0, 40)} is unknown.` })
  const order = queryWord(request, 'order', orders) ?? 'newest'
  const { limit, after } = readPage(request, 2)
  return {
    limit,
    after: after && placeIn(order, after),
    filters: {
      order,
      words: wordsOf(request),
      within: queryBox(request),
      minMiles: queryNumber(request, 'minMiles'),
      maxMiles: queryNumber(request, 'maxMiles'),
      minAscent: queryNumber(request, 'minAscent'),
      maxAscent: queryNumber(request, 'maxAscent'),
      nearTrail: queryId(request, 'nearTrail'),
    },
  }
}
