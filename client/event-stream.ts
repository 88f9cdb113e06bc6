// One connection to GET /v2/events, as the frames that come through it.
import { createUnreachable } from './problem.ts'
import { createFrameReader, type Frame } from './sse.ts'
import type { Transport } from './transport.ts'
import type { EventType } from './types.ts'

/** The server says something every 15 seconds at least: silent for longer, a connection is dead though nobody said so. */
const maxSilenceMs = 40_000

export interface StreamRequest {
  /** The last id seen. */
  readonly position: string | undefined
  readonly types: readonly EventType[] | undefined
  readonly signal: AbortSignal | undefined
}

/** Ends when the connection is ended in good order. @throws WaymarkProblem, WaymarkUnreachable, the signal's reason. */
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
      retries: 0, // whoever listens has patience of its own
    })
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream')
    if (!isStream || !answer.body) throw new TypeError('The answer is no stream of events')
    yield* framesIn(answer.body, heard)
  } catch (error) {
    signal?.throwIfAborted()
    // What breaks while it is read is a TypeError on every platform, and an AbortError where silence ended it.
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
    await reader.cancel().catch(() => {}) // it may be broken already
  }
}
