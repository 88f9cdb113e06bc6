// Parses the one byte range of a request (RFC 9110, section 14).
import type { FastifyRequest } from 'fastify'
import parseRange from 'range-parser'
import { refuse } from '../errors.ts'

/**
 * @returns undefined for the whole; several ranges at once are answered with the whole, as the standard allows.
 * @throws refusal `range-not-satisfiable`.
 */
export function wantedRange(
  request: FastifyRequest,
  bytes: number,
  etag: string,
): { start: number; end: number } | undefined {
  const { range, 'if-range': ifRange } = request.headers
  // A range is defined for GET alone, and one in another unit than bytes says nothing (RFC 9110, section 14.2).
  if (range === undefined || request.method !== 'GET' || !/^bytes=/i.test(range)) return undefined
  if (ifRange !== undefined && ifRange !== etag) return undefined
  // More of the end than there is means all of it, which range-parser takes for unsatisfiable.
  const suffix = /^bytes=\s*-(\d+)\s*$/i.exec(range)?.[1]
  if (suffix !== undefined && Number(suffix) >= bytes) return { start: 0, end: bytes - 1 }
  const ranges = parseRange(bytes, range)
  if (ranges === -1) {
    throw refuse('range-not-satisfiable', { headers: { 'Content-Range': `bytes */${bytes}` } })
  }
  const [only, ...others] = ranges === -2 ? [] : ranges
  return others.length === 0 ? only : undefined
}
