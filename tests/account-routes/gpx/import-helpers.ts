// Shared by the tests of imports: builds and sends multipart bodies.
import assert from 'node:assert/strict'
import type { Person, Waymark } from '../../helpers/waymark.ts'
import { gpxOf, jsonOf, northward, setOf } from '../v2-helpers.ts'

export interface Result {
  readonly file: string
  readonly routeID?: number
  readonly name?: string
  readonly duplicates?: readonly number[]
  readonly warnings?: readonly { code: string }[]
  readonly problem?: { type: string; title: string; status: number; detail: string }
}

export type File = readonly [name: string, content: string | Uint8Array]

export const boundary = 'waymark-test-boundary'
export const multipart = `multipart/form-data; boundary=${boundary}`

/** As bytes, so that tests can truncate them anywhere. */
export const bodyOf = (files: readonly File[]): Buffer =>
  Buffer.concat([
    ...files.flatMap(([name, content]) => [
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/gpx+xml\r\n\r\n`,
      ),
      typeof content === 'string' ? Buffer.from(content) : content,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ])

export interface Sent {
  readonly person?: Person
  readonly token?: string | undefined
  readonly headers?: Record<string, string>
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream | string
}

export const bytesOf = (files: readonly File[]): Uint8Array<ArrayBuffer> => Uint8Array.from(bodyOf(files))

export const named = (name: string, lat = 45): string => gpxOf([northward(lat, 7, 4)], { name })
export const gpxWith = (name: string): string =>
  `<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1"><metadata><name>${name}</name></metadata></gpx>`

/** @param owner default account of a request. */
export function createImporter(waymark: Waymark, owner: Person) {
  const send = ({ person = owner, token = person.token, headers, body }: Sent): Promise<Response> =>
    waymark.fetch(`${setOf(person)}/import`, {
      method: 'POST',
      token,
      headers: { 'content-type': multipart, ...headers },
      body,
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
    })

  return {
    send,

    imported: async (files: readonly File[], sent: Partial<Sent> = {}): Promise<Result[]> => {
      const answer = await send({ body: bytesOf(files), ...sent })
      assert.equal(answer.status, 200, await answer.clone().text())
      return (await jsonOf<{ results: Result[] }>(answer)).results
    },

    /** Number of routes. */
    countOf: async (person: Person): Promise<number> => {
      const { token } = person
      const answer = await waymark.fetch(`${setOf(person)}?limit=500`, { token })
      return (await jsonOf<{ items: unknown[] }>(answer)).items.length
    },
  }
}
