// Shared by the tests of images on v2: uploads in one call, pages, refusals.
import assert from 'node:assert/strict'
import { scopes } from '../../src/auth/scopes.ts'
import type { Image } from '../../src/shared/v2/schemas.ts'
import type { Person, Waymark } from '../helpers/waymark.ts'

export interface Page<Item> {
  readonly items: readonly Item[]
  readonly next: string | null
}

export const json = { 'content-type': 'application/json' }

/** A part of a form, as raw bytes. */
export interface Part {
  readonly name: string
  readonly content: Uint8Array | string
  readonly type?: string
  readonly fileName?: string
}

const boundary = 'the-boundary-of-tests'
export const formType = { 'content-type': `multipart/form-data; boundary=${boundary}` }

export const filePart = (content: Uint8Array, type = 'image/jpeg'): Part => ({
  name: 'file',
  content,
  type,
  fileName: 'photo.jpg',
})
export const detailsPart = (details: unknown): Part => ({
  name: 'details',
  content: typeof details === 'string' ? details : JSON.stringify(details),
  type: 'application/json',
})

export function formOf(parts: readonly Part[]): Buffer {
  const chunks = parts.flatMap(({ name, content, type, fileName }) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"`,
    fileName === undefined ? '' : `; filename="${fileName}"`,
    type === undefined ? '' : `\r\nContent-Type: ${type}`,
    '\r\n\r\n',
    content,
    '\r\n',
  ])
  return Buffer.concat([...chunks, `--${boundary}--\r\n`].map((chunk) => Buffer.from(chunk as string)))
}

export function sendForm(
  waymark: Waymark,
  { token }: Person,
  trailId: number | string,
  { parts, headers = {} }: { readonly parts: readonly Part[]; readonly headers?: Record<string, string> },
): Promise<Response> {
  return waymark.fetch(`/v2/trails/${trailId}/images`, {
    method: 'POST',
    token,
    headers: { ...formType, ...headers },
    body: formOf(parts),
  })
}

export async function readAs<Value>(answer: Response, status = 200): Promise<Value> {
  const text = await answer.text()
  assert.equal(answer.status, status, text)
  return JSON.parse(text) as Value
}

export const imageOf = async (waymark: Waymark, { token }: Person, imageId: number): Promise<Image> =>
  readAs<Image>(await waymark.fetch(`/v2/images/${imageId}`, { token }))

export const remove = (
  waymark: Waymark,
  { token }: Person,
  imageId: number,
  headers = {},
): Promise<Response> => waymark.fetch(`/v2/images/${imageId}`, { method: 'DELETE', token, headers })

export const restore = (waymark: Waymark, { token }: Person, imageId: number): Promise<Response> =>
  waymark.fetch(`/v2/images/${imageId}/restore`, { method: 'POST', token })

export const patch = (
  waymark: Waymark,
  { token }: Person,
  imageId: number,
  { body, headers = {} }: { readonly body: unknown; readonly headers?: Record<string, string> },
): Promise<Response> =>
  waymark.fetch(`/v2/images/${imageId}`, {
    method: 'PATCH',
    token,
    headers: { ...json, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

/** Numbers of images, events, history rows and original blobs. */
export async function countsOf(waymark: Waymark): Promise<Record<'images' | 'events' | 'blobs', number>> {
  const { database, blobs } = waymark.installation
  const count = async (table: 'image' | 'outbox'): Promise<number> => {
    const { rows } = await database.db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('rows'))
      .executeTakeFirstOrThrow()
    return rows
  }
  return {
    images: await count('image'),
    events: await count('outbox'),
    blobs: (await Array.fromAsync(blobs.list(''))).length,
  }
}

/** Advances the clock beyond the lifetime of tokens, and gives these people new ones. */
export async function later(
  waymark: Waymark,
  people: readonly Person[],
  milliseconds: number,
): Promise<void> {
  waymark.system.advance(milliseconds)
  for (const person of people)
    Object.assign(person, { token: await waymark.tokenFor(person.accountId, scopes.join(' ')) })
}
