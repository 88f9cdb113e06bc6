// The bodies of answers of an S3 store: taken whole and checked before anybody sees a byte, since a cut one looks like a short blob.
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3'
import { createHash } from 'node:crypto'
import { close } from 'node:fs'
import { Readable } from 'node:stream'
import { callbackify, promisify } from 'node:util'
import { writeAll } from './gathering-writer.ts'
import { notWhole } from './s3-calls.ts'
import { readSome, type TemporaryFile, type TemporaryFiles } from './temporary-files.ts'

const closeDescriptor = promisify(close)

/** Put with each blob, hex, and compared with each whole body, so that neither store nor way can change a byte unseen. */
export const hashName = 'sha256'
/** As much at once as a stream of a file gives. */
const chunkBytes = 32_768

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** @throws Error with code EBADMSG unless exactly the bytes that the answer told have come, and those that were put. */
async function eachChunk(
  answer: GetObjectCommandOutput,
  isWhole: boolean,
  take: (chunk: Uint8Array) => Promise<void> | void,
): Promise<void> {
  const { Body: body, ContentLength: bytes, Metadata: metadata } = answer
  if (!(body instanceof Readable) || bytes === undefined) throw notWhole('a response without body or length')
  const wanted = isWhole ? metadata?.[hashName] : undefined
  const hash = wanted === undefined ? undefined : createHash('sha256')
  let come = 0
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    come += chunk.length
    if (come > bytes) break
    hash?.update(chunk)
    await take(chunk)
  }
  if (come !== bytes) throw notWhole(`a response of ${bytes} bytes ended at ${come}`)
  if (hash && hash.digest('hex') !== wanted) throw notWhole('a response has different bytes than were stored')
}

/** Frees the connection of an answer whose body nobody wants. */
export function dismiss({ Body: body }: GetObjectCommandOutput): void {
  if (body instanceof Readable) body.on('error', () => undefined).destroy()
}

/** A body in memory. */
export async function bytesOf(answer: GetObjectCommandOutput, isWhole: boolean): Promise<Buffer> {
  const whole = Buffer.allocUnsafeSlow(answer.ContentLength ?? 0)
  let at = 0
  await eachChunk(answer, isWhole, (chunk) => {
    whole.set(chunk, at)
    at += chunk.length
  })
  return whole
}

/** A body in a file without a name, so that a slow reader holds neither memory nor a connection to the store. */
export async function fileOf(
  answer: GetObjectCommandOutput,
  isWhole: boolean,
  temporary: TemporaryFiles,
): Promise<TemporaryFile> {
  const written = await temporary.write(async (descriptor) => {
    await eachChunk(answer, isWhole, (chunk) => writeAll(descriptor, [chunk]))
    return true
  })
  if (written === undefined) throw new Error('a body was written but is missing')
  await temporary.remove(written.file)
  return written
}

/**
 * Streams the file that `bring` gives, which is asked for it at the first read; closing the stream frees all.
 * @param bring must end soon after its signal.
 */
export function streamOf(bring: (signal: AbortSignal) => Promise<TemporaryFile>): Readable {
  const stopping = new AbortController()
  let brought: Promise<TemporaryFile> | undefined
  let reading: Promise<void> = Promise.resolve()
  let at = 0

  async function readNext(stream: Readable): Promise<void> {
    brought ??= bring(stopping.signal)
    const { descriptor } = await brought
    if (stream.destroyed) return
    const chunk = Buffer.allocUnsafeSlow(chunkBytes)
    const bytesRead = await readSome(descriptor, chunk, 0, at)
    at += bytesRead
    if (!stream.destroyed) stream.push(bytesRead === 0 ? null : chunk.subarray(0, bytesRead))
  }

  async function free(): Promise<void> {
    stopping.abort()
    // A descriptor that is closed while it is read could be another file's by then.
    await reading
    const file = await brought?.catch(() => undefined)
    if (file) await closeDescriptor(file.descriptor)
  }

  const freeThen = callbackify(free)

  return new Readable({
    highWaterMark: chunkBytes,
    read() {
      reading = readNext(this).catch((error: unknown) => {
        this.destroy(error instanceof Error ? error : new Error(String(error)))
      })
    },
    destroy(error, done) {
      freeThen(() => done(error))
    },
  })
}
