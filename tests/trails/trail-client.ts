// Shared by the tests of trails: requests and response types.
import assert from 'node:assert/strict'
import type { Waymark } from '../helpers/waymark.ts'

export interface TrailDocument {
  readonly trailID: number
  readonly name: string
  readonly slug: string
  readonly bbox: readonly [number, number, number, number] | null
  readonly lengthMiles: number | null
  readonly images: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly geometry?: { readonly type: string; readonly coordinates: unknown } | null
}

export interface TrailPage {
  readonly items: readonly TrailDocument[]
  readonly next: string | null
}

export interface ImportDocument {
  readonly new: readonly { readonly trailID: number; readonly name: string; readonly slug: string }[]
  readonly changed: readonly { readonly trailID: number; readonly fields: Record<string, unknown> }[]
  readonly unchanged: number
  readonly problems: readonly { readonly place: string; readonly detail: string }[]
  readonly counts: Record<string, number>
  readonly isApplied: boolean
}

export interface Sent {
  readonly token?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

export const lineOf = (...coordinates: readonly (readonly number[])[]) => ({
  type: 'LineString',
  coordinates,
})

export const jsonOf = async <T>(answer: Response): Promise<T> => (await answer.json()) as T

/** Sends JSON. */
export function send(waymark: Waymark, method: string, path: string, sent: Sent = {}): Promise<Response> {
  const { token, body, headers = {} } = sent
  return waymark.fetch(path, {
    method,
    ...(token === undefined ? {} : { token }),
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

/** The refusal's code, after checking its status, and its detail. */
export async function refused(answer: Response, status: number, code: string): Promise<string> {
  const text = await answer.text()
  assert.equal(answer.status, status, text)
  const problem = JSON.parse(text) as { type: string; detail?: string }
  assert.ok(problem.type.endsWith(`/${code}`), text)
  return problem.detail ?? ''
}

/** Every page of the list. */
export async function listAll(
  waymark: Waymark,
  { token, query = '' }: { readonly token: string; readonly query?: string },
): Promise<TrailDocument[]> {
  const found: TrailDocument[] = []
  let cursor = ''
  for (;;) {
    const answer = await waymark.fetch(`/v2/trails?${query}${cursor}`, { token })
    assert.equal(answer.status, 200, await answer.clone().text())
    const { items, next } = await jsonOf<TrailPage>(answer)
    found.push(...items)
    if (next === null) return found
    cursor = `&cursor=${next}`
  }
}
