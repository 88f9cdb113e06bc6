// A single connection to GET /v2/events, as a sequence of frames.
import { createUnreachable } from './problem.ts'
import { createFrameReader, type Frame } from './sse.ts'
import type { Transport } from './transport.ts'
import type { EventType } from './types.ts'

/** The server sends something at least every 15 seconds. After a longer silence the connection is treated as dead. */
const maxSilenceMs = 40_000

export interface StreamRequest {
  /** The last id received. */
  readonly position: string | undefined
  readonly types: readonly EventType[] | undefined
  readonly signal: AbortSignal | undefined
}

/**
 * Returns when the server closes the connection cleanly. @throws WaymarkProblem, WaymarkUnreachable, the signal's
 * reason.
 */
export async function* openEventStream(
  transport: Transport,
  { position, types, signal }: StreamRequest,
): AsyncGenerator<Frame, void> {
  const silence = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const heard = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), maxSilenceMs)
  }
  heard()
  try {
    const answer = await transport.request<Response>('GET', '/v2/events', {
      query: { types: types?.length ? types : undefined },
      headers: {
        accept: 'text/event-stream',
        ...(position === undefined ? {} : { 'last-event-id': position }),
      },
      signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
      as: 'response',
      retries: 0, // the caller has its own retry loop
    })
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream')
    if (!isStream || !answer.body) throw new TypeError('The answer is not an event stream')
    yield* framesIn(answer.body, heard)
  } catch (error) {
    signal?.throwIfAborted()
    // A failed read is a TypeError on every platform, and an AbortError if the silence timer fired.
    if (silence.signal.aborted || error instanceof TypeError)
      throw createUnreachable(error, { mayBeDone: false })
    throw error
  } finally {
    clearTimeout(timer)
  }
}

async function* framesIn(body: ReadableStream<Uint8Array>, heard: () => void): AsyncGenerator<Frame, void> {
  const reader = body.getReader()
  const readFrames = createFrameReader()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      heard()
      yield* readFrames(decoder.decode(value, { stream: true }))
    }
  } finally {
    await reader.cancel().catch(() => {}) // it may already be broken
  }
}
