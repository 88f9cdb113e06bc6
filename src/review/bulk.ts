// Applies one action to many images, each separately: a refused one does not stop the others.
import { setImmediate } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import type { Refused } from '../shared/v2/review-schemas.ts'
import { refusals, refuse } from '../errors.ts'
import { inEach } from '../texts/texts.ts'
import { problemOf } from '../http/problem.ts'
import { languageOf } from '../texts/request-language.ts'
import { refusalFor } from '../http/refusals.ts'

const isId = (id: number): boolean => Number.isSafeInteger(id) && id > 0

export interface ForEachImage<Done> {
  readonly request: FastifyRequest
  readonly publicUrl: string
  readonly ids: readonly number[]
  /** In its own transaction. */
  readonly work: (imageId: number) => Promise<Done>
}

/** @returns the result of each, in the order of the ids. Other requests get their turn after each of them. */
export async function forEachImage<Done>({
  request,
  publicUrl,
  ids,
  work,
}: ForEachImage<Done>): Promise<(Done | Refused)[]> {
  function refusedAs(imageID: number, error: unknown): Refused {
    const refusal = refusalFor(error)
    // Internal errors must not be hidden among the results.
    if (refusals[refusal.code].status >= 500 && refusal.code !== 'read-only')
      request.log.error({ err: error, imageID }, 'a bulk decision failed for one image')
    const { type, title, status, detail } = problemOf(
      refusal,
      publicUrl,
      request.id,
      languageOf(request.headers),
    )
    return { imageID, problem: { type, title, status, detail } }
  }

  const results: (Done | Refused)[] = []
  const seen = new Set<number>()
  for (const id of ids) {
    try {
      if (seen.has(id)) throw refuse('invalid-field', { detail: inEach(({ review }) => review.duplicate) })
      seen.add(id)
      if (!isId(id)) throw refuse('invalid-image-id')
      results.push(await work(id))
    } catch (error) {
      results.push(refusedAs(id, error))
    }
    await setImmediate()
  }
  return results
}
