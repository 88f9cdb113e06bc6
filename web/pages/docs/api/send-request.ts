// Sends the filled-in request with the SDK and returns the raw response; refusals are responses, too.
import { createWaymark, type Credential } from '../../../../client/client.ts'
import { baseUrl } from '../../../data/base.ts'
import type { NamedOperation } from './api-document.ts'
import { addressFor, type Filled } from './samples.ts'

export interface SentAnswer {
  readonly status: number
  readonly statusText: string
  readonly milliseconds: number
  readonly headers: readonly (readonly [string, string])[]
  readonly type: string
  readonly bytes: number
  /** The part that is shown; undefined if it is not text. */
  readonly text: string | undefined
  /** Object URL of a received image; the caller has to revoke it. */
  readonly picture: string | undefined
}

export const maxPublicViewBytes = 100_000

const isText = (type: string): boolean => /json|xml|text|csv/.test(type)

/** Single-line JSON is easier to read when formatted. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}

async function shownText(body: Blob, type: string): Promise<string | undefined> {
  if (!isText(type)) return undefined
  const text = await body.slice(0, maxPublicViewBytes).text()
  return type.includes('json') ? indented(text) : text
}

export interface Request extends Filled {
  readonly file: File | undefined
  readonly mediaType: string
  readonly accept: string
}

type Method = Parameters<ReturnType<typeof createWaymark>['send']>[0]

function bodyOf({ requestBody }: NamedOperation, { body, file, mediaType }: Request): BodyInit | undefined {
  if (!requestBody) return undefined
  if (mediaType === 'multipart/form-data') {
    const form = new FormData()
    if (body.trim() !== '') form.set('details', body)
    if (file) form.set('file', file)
    return form
  }
  return file ?? body
}

function headersOf(
  { parameters = [], requestBody }: NamedOperation,
  request: Request,
): Record<string, string> {
  const given = parameters.flatMap(({ in: place, name }) => {
    const value = request.values[`header ${name}`] ?? ''
    return place === 'header' && value !== '' ? [[name, value] as const] : []
  })
  // A form sets its own boundary.
  const isTyped = requestBody !== undefined && request.mediaType !== 'multipart/form-data'
  return {
    ...Object.fromEntries(given),
    accept: request.accept,
    ...(isTyped && { 'content-type': request.mediaType }),
  }
}

/** @throws if there was no response at all. */
export async function sendRequest(
  operation: NamedOperation,
  request: Request,
  credential: Credential | undefined,
): Promise<SentAnswer> {
  let answer: SentAnswer | undefined
  const waymark = createWaymark({
    baseUrl,
    ...(credential !== undefined && { credential }),
    retries: 0,
    fetch: async (url, init) => {
      const startedAt = performance.now()
      const response = await fetch(url, init)
      const milliseconds = performance.now() - startedAt
      const { status, statusText } = response
      const type = response.headers.get('content-type') ?? ''
      const body = await response.clone().blob()
      answer = {
        status,
        statusText,
        milliseconds,
        headers: [...response.headers],
        type,
        bytes: body.size,
        text: await shownText(body, type),
        picture: type.startsWith('image/') ? URL.createObjectURL(body) : undefined,
      }
      return response
    },
  })
  try {
    await waymark.send(operation.method as Method, addressFor(operation, request), {
      headers: headersOf(operation, request),
      body: bodyOf(operation, request),
      as: 'response',
      isRepeatable: false,
    })
  } catch (error) {
    // A refusal is thrown after it has been received completely.
    if (!answer) throw error
  }
  if (!answer) throw new Error('no answer')
  return answer
}
