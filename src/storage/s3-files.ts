// Large files in an S3-compatible store: sent in parts while they are made, and visible only once they are whole.
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  UploadPartCommand,
  type CompletedPart,
} from '@aws-sdk/client-s3'
import { nameOfPlace, type S3Place } from '../settings/blob-settings.ts'
import { codeOf, createClient, nameOf, notWhole, statusOf } from './s3-calls.ts'

/** A part of 8 MB at 0.3 Mbit/s takes this long; nobody waits for a backup as for a photo. */
const callMs = 240_000
const silentMs = 60_000
const attempts = 5
/** The least that stores take for any part but the last. */
const minPartBytes = 8 * 1024 * 1024
/** S3 takes 10,000 parts; some are left for a file that becomes larger than expected. */
const plannedParts = 8_000

export interface S3File {
  readonly name: string
  readonly bytes: number
}

export interface S3Files {
  list(): Promise<S3File[]>
  bytesOf(name: string): Promise<number | undefined>
  read(name: string, start: number, length: number): Promise<Buffer>
  remove(name: string): Promise<void>
  /** @param expectedBytes roughly. @returns what takes the bytes; the file is there once `complete` resolves. */
  begin(name: string, expectedBytes: number): Promise<S3Upload>
  /** Ends uploads that were never completed, such as those of a process that was killed. */
  abortUploads(isOurs: (name: string) => boolean): Promise<void>
  close(): void
}

export interface S3Upload {
  write(bytes: Uint8Array): Promise<void>
  complete(): Promise<void>
  abort(): Promise<void>
}

export function createS3Files(place: S3Place): S3Files {
  const client = createClient(place, attempts, silentMs)
  const base = place.prefix === '' ? '' : `${place.prefix}/`
  const addressOf = (name: string) => ({ Bucket: place.bucket, Key: base + name })

  /** Nothing of a request or an answer but its status, name and sentence: the error of the SDK carries headers. */
  function faultOf(operation: string, error: unknown): Error {
    const status = statusOf(error)
    const why = error instanceof Error ? error.message : 'no reason given'
    const answer = status === undefined ? nameOf(error) : `${nameOf(error)}, ${status}`
    const sentence = `${nameOfPlace(place)} cannot be used: ${operation} failed (${answer}): ${why.replace(/\.$/, '')}.`
    return Object.assign(new Error(sentence), { failureCode: 'unreachable', code: codeOf(error) })
  }

  async function call<T>(operation: string, work: (abortSignal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await work(AbortSignal.timeout(callMs))
    } catch (error) {
      throw faultOf(operation, error)
    }
  }

  async function begin(name: string, expectedBytes: number): Promise<S3Upload> {
    const address = addressOf(name)
    const { UploadId } = await call('CreateMultipartUpload', (abortSignal) =>
      client.send(new CreateMultipartUploadCommand(address), { abortSignal }),
    )
    const partBytes = Math.max(minPartBytes, Math.ceil(expectedBytes / plannedParts))
    const parts: CompletedPart[] = []
    let gathered: Uint8Array[] = []
    let length = 0

    async function sendPart(body: Buffer): Promise<void> {
      const PartNumber = parts.length + 1
      const input = { ...address, UploadId, PartNumber, Body: body, ContentLength: body.length }
      const { ETag } = await call('UploadPart', (abortSignal) =>
        client.send(new UploadPartCommand(input), { abortSignal }),
      )
      parts.push({ PartNumber, ETag })
    }

    /** All but the last have the same length, which some stores ask for. */
    async function sendWhole(): Promise<void> {
      if (length < partBytes) return
      const bytes = Buffer.concat(gathered)
      let at = 0
      for (; bytes.length - at >= partBytes; at += partBytes)
        await sendPart(bytes.subarray(at, at + partBytes))
      gathered = [bytes.subarray(at)]
      length = bytes.length - at
    }

    return {
      write: async (bytes) => {
        gathered.push(bytes)
        length += bytes.length
        await sendWhole()
      },
      complete: async () => {
        if (length > 0 || parts.length === 0) await sendPart(Buffer.concat(gathered))
        const input = { ...address, UploadId, MultipartUpload: { Parts: parts } }
        await call('CompleteMultipartUpload', (abortSignal) =>
          client.send(new CompleteMultipartUploadCommand(input), { abortSignal }),
        )
      },
      abort: async () => {
        await call('AbortMultipartUpload', (abortSignal) =>
          client.send(new AbortMultipartUploadCommand({ ...address, UploadId }), { abortSignal }),
        )
      },
    }
  }

  async function list(): Promise<S3File[]> {
    const files: S3File[] = []
    let ContinuationToken: string | undefined
    do {
      const input = { Bucket: place.bucket, Prefix: base, Delimiter: '/', ContinuationToken }
      const answer = await call('ListObjectsV2', (abortSignal) =>
        client.send(new ListObjectsV2Command(input), { abortSignal }),
      )
      for (const { Key = '', Size = 0 } of answer.Contents ?? [])
        files.push({ name: Key.slice(base.length), bytes: Size })
      ContinuationToken = answer.NextContinuationToken
    } while (ContinuationToken !== undefined)
    return files
  }

  async function abortUploads(isOurs: (name: string) => boolean): Promise<void> {
    const { Uploads = [] } = await call('ListMultipartUploads', (abortSignal) =>
      client.send(new ListMultipartUploadsCommand({ Bucket: place.bucket, Prefix: base }), { abortSignal }),
    )
    for (const { Key = '', UploadId } of Uploads) {
      if (!isOurs(Key.slice(base.length))) continue
      const input = { Bucket: place.bucket, Key, UploadId }
      await call('AbortMultipartUpload', (abortSignal) =>
        client.send(new AbortMultipartUploadCommand(input), { abortSignal }),
      )
    }
  }

  return {
    list,
    begin,
    abortUploads,
    bytesOf: async (name) => {
      try {
        const { ContentLength } = await client.send(new HeadObjectCommand(addressOf(name)), {
          abortSignal: AbortSignal.timeout(callMs),
        })
        return ContentLength
      } catch (error) {
        if (statusOf(error) === 404) return undefined
        throw faultOf('HeadObject', error)
      }
    },
    read: (name, start, length) =>
      call('GetObject', async (abortSignal) => {
        const input = { ...addressOf(name), Range: `bytes=${start}-${start + length - 1}` }
        const { Body } = await client.send(new GetObjectCommand(input), { abortSignal })
        const bytes = Buffer.from((await Body?.transformToByteArray()) ?? [])
        if (bytes.length !== length) throw notWhole(`a response of ${length} bytes had ${bytes.length}`)
        return bytes
      }),
    remove: async (name) => {
      await call('DeleteObject', (abortSignal) =>
        client.send(new DeleteObjectCommand(addressOf(name)), { abortSignal }),
      )
    },
    close: () => client.destroy(),
  }
}
