// Reads the query of GET /v2/images: filters and the page.
import type { FastifyRequest } from 'fastify'
import { parseTimestamp } from '../shared/v2/timestamps.ts'
import {
  queryBox,
  queryDay,
  queryId,
  queryText,
  queryWord,
  readPage,
  wrongParameter,
} from '../http/paging.ts'
import type { ImageCursor, ImageFilters, ListedFilters, TakenDays } from './image-table.ts'

function timestampOf(request: FastifyRequest): number | undefined {
  const text = queryText(request, 'since')
  if (text === undefined) return undefined
  const at = parseTimestamp(text)
  if (at === undefined) throw wrongParameter('since', 'a timestamp such as 2026-05-01T00:00:00Z')
  return at
}

/**
 * The parameters takenFrom and takenTo.
 * @param of the images of which whoever asks may know when they were taken.
 * @throws refusal `invalid-query`.
 */
export function readTakenDays(request: FastifyRequest, of: TakenDays['of']): TakenDays | undefined {
  const from = queryDay(request, 'takenFrom')
  const to = queryDay(request, 'takenTo')
  return from === undefined && to === undefined ? undefined : { from, to, of }
}

/** The parameters since and bbox. @throws refusal `invalid-query`. */
export const readPlaceAndTime = (request: FastifyRequest) => ({
  since: timestampOf(request),
  within: queryBox(request),
})

export const cursorOf = ({ postedAt, id }: ImageCursor): readonly number[] => [postedAt, id]

export interface PageRequest {
  readonly filters: ImageFilters
  readonly limit: number
}

export const listedCursorOf = ({ seq }: { readonly seq: number }): readonly number[] => [seq]

/** Of the listed images of a trail. @throws refusal `invalid-query` naming the parameter. */
export function readListedRequest(
  request: FastifyRequest,
  daysOf: TakenDays['of'],
): {
  readonly filters: ListedFilters
  readonly limit: number
} {
  const { limit, after } = readPage(request, 1)
  const afterSeq = after === undefined ? undefined : Number(after[0])
  if (afterSeq !== undefined && !Number.isSafeInteger(afterSeq))
    throw wrongParameter('cursor', 'the "next" of a previous response')
  return { limit, filters: { ...readPlaceAndTime(request), taken: readTakenDays(request, daysOf), afterSeq } }
}

/** @throws refusal `invalid-query` naming the parameter. */
export function readPageRequest(request: FastifyRequest): PageRequest {
  const { limit, after } = readPage(request, 2)
  const [postedAt, id] = (after ?? []).map(Number)
  if (after && !(Number.isSafeInteger(postedAt) && Number.isSafeInteger(id)))
    throw wrongParameter('cursor', 'the "next" of a previous response')
  return {
    limit,
    filters: {
      state: queryWord(request, 'status', ['pending', 'approved', 'rejected', 'removed']),
      trailId: queryId(request, 'trailID'),
      submitterId: queryId(request, 'submitterID'),
      ...readPlaceAndTime(request),
      // Whoever is shown an image here is its submitter or staff.
      taken: readTakenDays(request, 'all'),
      after: postedAt === undefined || id === undefined ? undefined : { postedAt, id },
    },
  }
}
