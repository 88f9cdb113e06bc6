// Calls of an S3 store: how long each may take, how often it is tried, and what its failure is to Waymark.
import { S3Client } from '@aws-sdk/client-s3'
import { getHashes, hash } from 'node:crypto'
import type { S3Place } from '../settings/blob-settings.ts'
import { Refusal, refuse } from '../errors.ts'
import { createSemaphore } from '../shared/semaphore.ts'

/** No answer of Waymark may take longer than 15 s for a store that fails. What is tried again is within these. */
const connectMs = 2_000
const silentSocketMs = 6_000
const callMs = 10_000
/** Has no body; and an upload holds a transaction while it asks whether its original is there. */
const headMs = 4_000
const callAfterSilenceMs = 4_000
/** So long after a call in vain the next ones are given up sooner, so that those who wait do not pile up. */
const silenceMs = 10_000
const probeMs = 3_000
/** Every call gives the same whether it is done once or twice. */
const attempts = 3
const maxAtOnce = 128

/** Names of the system for what the metrics count and the log tells. */
type FaultCode = 'ETIMEDOUT' | 'EREMOTEIO' | 'EBADMSG' | `E${string}`

function textOf(error: unknown, name: string): string | undefined {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined
  return typeof value === 'string' ? value : undefined
}

/** The status of the answer, or undefined where none came. */
export function statusOf(error: unknown): number | undefined {
  const metadata: unknown =
    typeof error === 'object' && error !== null ? Reflect.get(error, '$metadata') : undefined
  const status: unknown =
    typeof metadata === 'object' && metadata !== null ? Reflect.get(metadata, 'httpStatusCode') : undefined
  return typeof status === 'number' ? status : undefined
}

/** The answer's own word, such as `NoSuchKey`. */
export const nameOf = (error: unknown): string => textOf(error, 'name') ?? 'Error'

/** A failure of ours about what an answer brought: fewer bytes than it said, or others than were put there. */
export function notWhole(sentence: string): Error {
  return Object.assign(new Error(sentence), { code: 'EBADMSG' })
}

export function codeOf(error: unknown): FaultCode {
  const name = nameOf(error)
  if (name === 'TimeoutError' || name === 'AbortError') return 'ETIMEDOUT'
  const code = textOf(error, 'code')
  if (code !== undefined && /^E[A-Z0-9]+$/.test(code)) return code as FaultCode
  return 'EREMOTEIO'
}

/**
 * Nothing of a request or an answer but its status, name and sentence: the error of the SDK carries headers.
 * @param operation such as `GetObject`.
 */
function faultOf(operation: string, error: unknown): Refusal {
  const status = statusOf(error)
  const answer = status === undefined ? nameOf(error) : `${nameOf(error)} (${status})`
  const cause = new Error(`${operation}: ${answer}: ${textOf(error, 'message') ?? 'no reason given'}`)
  return refuse('storage-unavailable', {
    headers: { 'Retry-After': '5' },
    cause: Object.assign(cause, { code: codeOf(error) }),
  })
}

/** Rejects at the moment, whatever becomes of the work, which is told to stop. */
async function within<T>(milliseconds: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController()
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const error = new Error(`no response within ${milliseconds / 1_000} s`)
    error.name = 'TimeoutError'
    stopping.abort(error)
    late.reject(error)
  }, milliseconds)
  try {
    return await Promise.race([work(stopping.signal), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** @param silentMs after which a socket on which nothing moves is given up. */
export function createClient(
  { endpoint, region, pathStyle }: S3Place,
  maxAttempts: number,
  silentMs = silentSocketMs,
): S3Client {
  // A connection for each request, which ends with its answer: the agent of the Node that is locked may hand one request
  // the answer of another (CVE-2026-105481), and a photo that is somebody else's is whole by every check.
  const agent = { keepAlive: false, maxSockets: Infinity }
  return new S3Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    forcePathStyle: pathStyle,
    maxAttempts,
    // What SDKs send since 2025 many stores refuse. The signature holds the hash of each body anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false, // waits for a word that many stores never say
    requestHandler: {
      connectionTimeout: connectMs,
      socketTimeout: silentMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
  })
}

interface WithBody {
  body: string | Uint8Array
  headers: Record<string, string>
}

function hasBody(request: unknown): request is WithBody {
  const body: unknown =
    typeof request === 'object' && request !== null ? Reflect.get(request, 'body') : undefined
  return typeof body === 'string' || body instanceof Uint8Array
}

/** The checksum that DeleteObjects must have. CRC32, the SDK's choice, only newer stores take; MD5 all of them do. */
function useContentMd5(client: S3Client): void {
  client.middlewareStack.add(
    (next) => (given) => {
      const { request } = given
      // Node in FIPS mode has none: then the SDK's own stays.
      if (!hasBody(request) || !getHashes().includes('md5')) return next(given)
      for (const name of Object.keys(request.headers))
        if (/^x-amz-(?:sdk-)?checksum-/i.test(name)) Reflect.deleteProperty(request.headers, name)
      request.headers['content-md5'] = hash('md5', request.body, 'base64')
      return next(given)
    },
    { name: 'contentMd5', step: 'build', priority: 'low' }, // after the SDK's own
  )
}

export function createS3Calls(place: S3Place) {
  const client = createClient(place, attempts)
  // Once: what was given up may be at work in the store still, and must be done before the keys are used again.
  const batchClient = createClient(place, 1)
  useContentMd5(batchClient)
  const places = createSemaphore(maxAtOnce)
  let silentUntil = 0

  async function timed<T>(wholeMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const isSilent = performance.now() < silentUntil
    try {
      const result = await within(isSilent ? callAfterSilenceMs : wholeMs, (signal) =>
        places.run(() => work(signal), { signal }),
      )
      silentUntil = 0
      return result
    } catch (error) {
      // Only by calls that had their whole time: a store that is slow, and not gone, is waited for again.
      if (!isSilent && codeOf(error) === 'ETIMEDOUT') silentUntil = performance.now() + silenceMs
      throw error
    }
  }

  return {
    client,

    /** For DeleteObjects. */
    batchClient,

    close: (): void => {
      client.destroy()
      batchClient.destroy()
    },

    /** @throws refusal `storage-unavailable`, whatever went wrong. */
    call: async <T>(operation: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
      try {
        return await timed(operation === 'HeadObject' ? headMs : callMs, work)
      } catch (error) {
        throw error instanceof Refusal ? error : faultOf(operation, error)
      }
    },

    /** For a question whose failure its asker reads itself. */
    ask: <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => within(probeMs, work),
  }
}

export type S3Calls = ReturnType<typeof createS3Calls>
