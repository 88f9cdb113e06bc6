// Parses the query of GET /v2/accounts/{acctID}/routes: filters and page.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { fold } from '../database/matching.ts'
import {
  boxQuery,
  pageQuery,
  queryBox,
  queryNumber,
  queryText,
  readPage,
  wrongParameter,
} from '../http/paging.ts'
import type { RouteCursor, RouteFilters } from './route-table.ts'
import { stringEnum } from '../shared/v2/schema-parts.ts'
import { countCharacters } from '../shared/text/characters.ts'

const maxWordsLength = 200

export const listQuery = Type.Object({
  q: Type.Optional(
    Type.String({
      maxLength: maxWordsLength,
      description: 'Part of the name or description, case-insensitive.',
    }),
  ),
  bbox: boxQuery,
  as: Type.Optional(stringEnum(['others'], 'For the owner: the public view.')),
  minMiles: Type.Optional(Type.Number({ minimum: 0, description: 'Limit for `length`.' })),
  maxMiles: Type.Optional(Type.Number({ minimum: 0, description: 'Limit for `length`.' })),
  ...pageQuery,
})

export const cursorOf = ({ createdAt, id }: RouteCursor): readonly number[] => [createdAt, id]

function wordsOf(request: FastifyRequest): string | undefined {
  const words = queryText(request, 'q')?.trim()
  if (words === undefined || words === '') return undefined
  if (countCharacters(words) > maxWordsLength)
    throw wrongParameter('q', `at most ${maxWordsLength} characters`)
  return fold(words)
}

/** @throws refusal `invalid-query` naming the parameter. */
export function readListQuery(request: FastifyRequest): {
  readonly filters: RouteFilters
  readonly limit: number
} {
  const { limit, after } = readPage(request, 2)
  const [createdAt, id] = (after ?? []).map(Number)
  if (after && !(Number.isSafeInteger(createdAt) && Number.isSafeInteger(id)))
    throw wrongParameter('cursor', 'the "next" of a previous response')
  return {
    limit,
    filters: {
      words: wordsOf(request),
      minMiles: queryNumber(request, 'minMiles'),
      maxMiles: queryNumber(request, 'maxMiles'),
      within: queryBox(request),
      after: createdAt === undefined || id === undefined ? undefined : { createdAt, id },
    },
  }
}
