// Uploads a photo as multipart/form-data and reports the progress.
import { sendByXhr } from './xhr.ts'
import { randomKey, type Fetch, type Transport } from './transport.ts'
import type { Image, ImageDetails } from './types.ts'

export interface Progress {
  /** Progress of the whole request; returns to 0 on a retry. */
  readonly sentBytes: number
  readonly totalBytes: number
}

export interface PhotoUpload {
  readonly path: string
  readonly file: Blob
  readonly details?: ImageDetails | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
  readonly signal?: AbortSignal | undefined
  readonly idempotencyKey?: string | undefined
}

interface Form {
  readonly body: Blob
  readonly contentType: string
}

/** A quote or line break in a name would end the header of its part (HTML Standard, 4.10.21.8). */
const quoted = (name: string): string =>
  name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')

/** Built here rather than with FormData, so that the length is known before the first byte is sent. */
function formOf({ file, details }: PhotoUpload): Form {
  const boundary = `waymark-${randomKey()}`
  const name = 'name' in file && typeof file.name === 'string' ? file.name : 'photo'
  const disposition = `Content-Disposition: form-data; name`
  const parts: (string | Blob)[] = []
  if (details !== undefined)
    parts.push(
      `--${boundary}\r\n${disposition}="details"\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(details)}\r\n`,
    )
  const type = file.type === '' ? 'application/octet-stream' : file.type
  parts.push(
    `--${boundary}\r\n${disposition}="file"; filename="${quoted(name)}"\r\nContent-Type: ${type}\r\n\r\n`,
    file,
    `\r\n--${boundary}--\r\n`,
  )
  const contentType = `multipart/form-data; boundary=${boundary}`
  return { body: new Blob(parts, { type: contentType }), contentType }
}

/** Node, Deno and Bun can stream a request over any HTTP version; browsers only over HTTP/2, and some not at all. */
function sendsStreams(): boolean {
  const { process } = globalThis as { process?: { versions?: { node?: string } } }
  return process?.versions?.node !== undefined
}

/** Small enough for a smooth progress bar, large enough not to cost time. */
const pieceBytes = 64 * 1024

/** Read and counted as the connection takes it, until `end`. */
function countedStream(
  body: Blob,
  onProgress: (progress: Progress) => void,
  end: AbortSignal,
): ReadableStream<Uint8Array> {
  let sentBytes = 0
  const tell = (): void => onProgress({ sentBytes, totalBytes: body.size })
  return new ReadableStream({
    start: tell,
    pull: async (controller) => {
      if (end.aborted) return controller.error(end.reason)
      const piece = new Uint8Array(await body.slice(sentBytes, sentBytes + pieceBytes).arrayBuffer())
      controller.enqueue(piece)
      sentBytes += piece.byteLength
      tell()
      if (sentBytes >= body.size) controller.close()
    },
  })
}

/** The server may refuse before everything is sent: then the response is read and the rest is not sent. */
function streamedBy(send: Fetch, body: Blob, onProgress: (progress: Progress) => void): Fetch {
  return async (url, init) => {
    const end = new AbortController()
    const headers = new Headers(init.headers)
    headers.set('content-length', String(body.size)) // a stream has no known length, and with one the server can refuse earlier
    const streamed = {
      ...init,
      headers,
      body: countedStream(body, onProgress, end.signal),
      duplex: 'half' as const,
    }
    const answer = await send(url, streamed)
    if (answer.ok) return answer
    const { status } = answer
    const whole = new Response(await answer.arrayBuffer(), { status, headers: answer.headers })
    end.abort()
    return whole
  }
}

function senderFor(transport: Transport, body: Blob, { onProgress }: PhotoUpload): Fetch | undefined {
  if (onProgress === undefined) return undefined
  if (sendsStreams()) return streamedBy(transport.fetch, body, onProgress)
  return transport.hasOwnFetch ? undefined : sendByXhr(onProgress)
}

export async function uploadPhoto(transport: Transport, upload: PhotoUpload): Promise<Image> {
  const { body, contentType } = formOf(upload)
  const { path, signal, idempotencyKey } = upload
  return transport.request<Image>('POST', path, {
    body,
    headers: { 'content-type': contentType },
    signal,
    idempotencyKey,
    isRepeatable: true,
    sendWith: senderFor(transport, body, upload),
  })
}
