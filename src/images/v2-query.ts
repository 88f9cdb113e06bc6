// Reads the query of GET /v2/images: filters and the page.
import type { FastifyRequest } from 'fastify'
import { partsOfMile } from './along/miles-along.ts'
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
import type { AlongCursor, AlongFilters } from './list/along-table.ts'
import type { ByDayFilters, TakenCursor } from './list/taken-table.ts'

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

/** How the images of a trail are ordered. */
export const listedOrders = ['posted', 'taken', 'along'] as const

export const cursorOf = ({ postedAt, id }: ImageCursor): readonly number[] => [postedAt, id]

export interface PageRequest {
  readonly filters: ImageFilters
  readonly limit: number
}

/** Of any order: of that by day with the day, of that along the line with the miles; null for none. */
export interface ListedRow {
  readonly id: number
  readonly seq: number
  readonly day?: string | null
  readonly miles?: number | null
}

/** The day as a number, such as 20260514; 0 for none. Miles in millionths, and one more, since 0 stands for none there too; a third part tells such a cursor from that of a day. */
export function listedCursorOf({ seq, day, miles }: ListedRow): readonly number[] {
  if (miles !== undefined) return [miles === null ? 0 : Math.round(miles * partsOfMile) + 1, seq, 0]
  return day === undefined ? [seq] : [Number(day?.replaceAll('-', '') ?? 0), seq]
}

const wrongCursor = () => wrongParameter('cursor', 'the "next" of a previous response')

function numbersOf(after: readonly string[] | undefined): readonly number[] | undefined {
  const numbers = after?.map(Number)
  if (numbers?.some((number) => !Number.isSafeInteger(number))) throw wrongCursor()
  return numbers
}

function takenCursorOf([day = 0, seq = 0]: readonly number[]): TakenCursor {
  if (day === 0) return { day: null, seq }
  const [, year, month, date] = /^(\d{4})(\d\d)(\d\d)$/.exec(String(day).padStart(8, '0')) ?? []
  if (year === undefined) throw wrongCursor()
  return { day: `${year}-${month}-${date}`, seq }
}

const alongCursorOf = ([miles = 0, seq = 0]: readonly number[]): AlongCursor => ({
  miles: miles <= 0 ? null : (miles - 1) / partsOfMile,
  seq,
})

export type ListedRequest =
  | { readonly order: 'posted'; readonly filters: ListedFilters; readonly limit: number }
  | { readonly order: 'taken'; readonly filters: ByDayFilters; readonly limit: number }
  | { readonly order: 'along'; readonly filters: AlongFilters; readonly limit: number }

/**
 * Of the listed images of a trail. Whoever may not know the day of each gets them in order of upload: their order would
 * tell it.
 * @throws refusal `invalid-query` naming the parameter.
 */
export function readListedRequest(request: FastifyRequest, daysOf: TakenDays['of']): ListedRequest {
  const order = queryWord(request, 'order', listedOrders)
  const isByDay = order === 'taken' && daysOf === 'all'
  const { limit, after: parts } = readPage(request, order === 'along' ? 3 : isByDay ? 2 : 1)
  const after = numbersOf(parts)
  const filters = { ...readPlaceAndTime(request), taken: readTakenDays(request, daysOf) }
  if (order === 'along')
    return { order, limit, filters: { ...filters, after: after && alongCursorOf(after) } }
  if (isByDay) return { order: 'taken', limit, filters: { ...filters, after: after && takenCursorOf(after) } }
  return { order: 'posted', limit, filters: { ...filters, afterSeq: after?.[0] } }
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
