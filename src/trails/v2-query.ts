// Parses the query of GET /v2/trails: filters and page.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { fold } from '../database/matching.ts'
import { boxQuery, pageQuery, queryBox, queryText, readPage, wrongParameter } from '../http/paging.ts'
import type { TrailCursor, TrailFilters } from './trail-table.ts'
import { countCharacters } from '../shared/text/characters.ts'

const maxWordsLength = 200

export const listQuery = Type.Object({
  q: Type.Optional(
    Type.String({ maxLength: maxWordsLength, description: 'Part of the name or slug, case-insensitive.' }),
  ),
  slug: Type.Optional(Type.String({ description: 'The exact slug; returns one trail or none.' })),
  bbox: boxQuery,
  ...pageQuery,
})

/** The key may contain any character, but the last part of a cursor only base64url. */
export const cursorOf = ({ sortKey, id }: TrailCursor): readonly (string | number)[] => [
  id,
  Buffer.from(sortKey).toString('base64url'),
]

function wordsOf(request: FastifyRequest): string | undefined {
  const words = queryText(request, 'q')?.trim()
  if (words === undefined || words === '') return undefined
  if (countCharacters(words) > maxWordsLength)
    throw wrongParameter('q', `at most ${maxWordsLength} characters`)
  return fold(words)
}

/** @throws refusal `invalid-query`. */
function cursorIn(parts: readonly string[]): TrailCursor {
  const [id, key = ''] = parts
  const sortKey = Buffer.from(key, 'base64url').toString()
  const isOurs = Buffer.from(sortKey).toString('base64url') === key && !sortKey.includes('\0')
  if (!isOurs || !Number.isSafeInteger(Number(id)))
    throw wrongParameter('cursor', 'the "next" of a previous response')
  return { id: Number(id), sortKey }
}

/** @throws refusal `invalid-query` naming the parameter. */
export function readListQuery(request: FastifyRequest): {
  readonly filters: TrailFilters
  readonly limit: number
} {
  const { limit, after } = readPage(request, 2)
  return {
    limit,
    filters: {
      words: wordsOf(request),
      slug: queryText(request, 'slug'),
      within: queryBox(request),
      after: after && cursorIn(after),
    },
  }
}
