// Reads the query of GET /v2/images: filters, limit and cursor.
import { parseId } from '../contract/classic-paths.ts'
import { imageStates } from '../contract/image-states.ts'
import { parseMoment } from '../contract/moments.ts'
import { refuse } from '../errors.ts'
import type { BoundingBox, ImageCursor, ImageFilters } from './image-table.ts'

const standardLimit = 50
const mostItems = 500

export type Query = Readonly<Record<string, unknown>>

function wrong(parameter: string, rule: string) {
  return refuse('invalid-query', { detail: `The parameter ${parameter} must be ${rule}.` })
}

/** The text of a parameter; undefined where it is absent. Given twice, it is wrong. */
function textOf(query: Query, name: string): string | undefined {
  const value = query[name]
  if (value === undefined || typeof value === 'string') return value
  throw wrong(name, 'given once')
}

function idOf(query: Query, name: string): number | undefined {
  const text = textOf(query, name)
  if (text === undefined) return undefined
  const id = parseId(text)
  if (id === undefined) throw wrong(name, 'an id')
  return id
}

function boxOf(query: Query): BoundingBox | undefined {
  const text = textOf(query, 'bbox')
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
  if (!isGood) throw wrong('bbox', 'four degrees: west,south,east,north')
  return { west, south, east, north }
}

function momentOf(query: Query): number | undefined {
  const text = textOf(query, 'since')
  if (text === undefined) return undefined
  const at = parseMoment(text)
  if (at === undefined) throw wrong('since', 'a moment such as 2026-05-01T00:00:00Z')
  return at
}

export function writeCursor({ postedAt, id }: ImageCursor): string {
  return Buffer.from(`${postedAt}.${id}`).toString('base64url')
}

function cursorOf(query: Query): ImageCursor | undefined {
  const text = textOf(query, 'cursor')
  if (text === undefined) return undefined
  const [, postedAt, id] = /^(\d{1,15})\.(\d{1,16})$/.exec(Buffer.from(text, 'base64url').toString()) ?? []
  if (postedAt === undefined || id === undefined) throw wrong('cursor', 'the "next" of an earlier answer')
  return { postedAt: Number(postedAt), id: Number(id) }
}

export interface PageRequest {
  readonly filters: ImageFilters
  readonly limit: number
}

/** @throws refusal `invalid-query` naming the parameter. */
export function readPageRequest(query: Query): PageRequest {
  const statusText = textOf(query, 'status')
  const state = imageStates.find((known) => known === statusText && known !== 'deleted')
  if (statusText !== undefined && state === undefined)
    throw wrong('status', 'pending, approved, rejected or removed')
  const limitText = textOf(query, 'limit')
  const limit = limitText === undefined ? standardLimit : /^\d{1,9}$/.test(limitText) ? Number(limitText) : 0
  if (limit < 1 || limit > mostItems) throw wrong('limit', `a whole number from 1 to ${mostItems}`)
  return {
    limit,
    filters: {
      state,
      trailId: idOf(query, 'trailID'),
      submitterId: idOf(query, 'submitterID'),
      since: momentOf(query),
      within: boxOf(query),
      after: cursorOf(query),
    },
  }
}
