// Blobs in an S3-compatible store. Bytes are received into a local folder, and put whole, signed with their hash, once they are kept.
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type GetObjectCommandOutput,
  type HeadObjectCommandOutput,
  type ListObjectsV2CommandOutput,
} from '@aws-sdk/client-s3'
import { nameOfPlace, type S3Place } from '../settings/blob-settings.ts'
import { createSemaphore } from '../shared/semaphore.ts'
import { blobInMemory } from './blob-in-memory.ts'
import { assertKey, type BlobEntry, type Blobs, type OpenBlob, type StagedBlob } from './port.ts'
import { bytesOf, dismiss, fileOf, hashName, sha256Of, streamOf } from './s3-bodies.ts'
import { codeOf, createS3Calls, nameOf, notWhole, statusOf } from './s3-calls.ts'
import { createBatchRemoval } from './s3-removal.ts'
import {
  createTemporaryFiles,
  readInto,
  readWhole,
  type ReceivedFile,
  type TemporaryFile,
} from './temporary-files.ts'

/** A probe tells so long for whoever asks next: readiness is asked by anybody, as often as they like. */
const probedForMs = 1_000
/** Of what is kept at once, for each is in memory while it is sent. */
const maxCachedAtOnce = 16

/**
 * No such key, or it ends before the range that is asked for. Never for `NoSuchBucket`, with which all photos would look
 * lost; a HEAD's answer cannot tell them apart.
 */
const absent: ReadonlySet<unknown> = new Set(['NoSuchKey', 'NotFound', 'InvalidRange'])
const isAbsent = (error: unknown): boolean => absent.has(nameOf(error)) || statusOf(error) === 416

async function absentAsUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

/** Why the store cannot be used, as one sentence for the operator. */
function unusable(place: S3Place, error: unknown): Error {
  const status = statusOf(error)
  const at = place.endpoint ?? 'AWS'
  const setting = `BLOB_URL ${nameOfPlace(place)}`
  const wrong = (sentence: string): Error =>
    Object.assign(new Error(sentence, { cause: error }), { failureCode: 'wrong-setting' })
  if (status === 404) return wrong(`${setting} cannot be used: ${at} has no such bucket.`)
  if (status === 401 || status === 403)
    return wrong(
      `${setting} cannot be used: ${at} refuses these credentials (${status}); they need permission to list the bucket and to get, put and delete objects in it.`,
    )
  if (status === 301 || status === 400)
    return wrong(`${setting} cannot be used: ${at} responded with ${status}; check its region and endpoint.`)
  if (nameOf(error) === 'CredentialsProviderError')
    return wrong(
      `${setting} cannot be used: no credentials were found in the environment, a profile or a role.`,
    )
  const code = codeOf(error)
  const why = status === undefined ? `is not responding (${code})` : `answers ${status}`
  const sentence = `${setting} cannot be used: ${at} ${why}.`
  return Object.assign(new Error(sentence, { cause: error }), { failureCode: 'unreachable', code })
}

/** What an answer says of a blob besides its bytes. */
type Described = Pick<HeadObjectCommandOutput, 'ContentLength' | 'ETag' | 'Metadata'>

/** @param staging folder for what is received, which no other process may use; made if need be. */
export async function createS3Blobs(place: S3Place, staging: string): Promise<Blobs> {
  const { bucket, prefix } = place
  const { client, call, ask, ...calls } = createS3Calls(place)
  const temporary = await createTemporaryFiles(staging)
  const sending = createSemaphore(maxCachedAtOnce)
  const base = prefix === '' ? '' : `${prefix}/`
  const addressOf = (key: string) => ({ Bucket: bucket, Key: base + assertKey(key) })

  async function put(key: string, bytes: Uint8Array, sha256: string): Promise<void> {
    const input = {
      ...addressOf(key),
      Body: bytes,
      ContentLength: bytes.length,
      Metadata: { [hashName]: sha256 },
    }
    await call('PutObject', (abortSignal) => client.send(new PutObjectCommand(input), { abortSignal }))
  }

  /** @param use is tried once more with a new answer where this one breaks off. */
  function get<T>(
    key: string,
    range: string | undefined,
    use: (answer: GetObjectCommandOutput) => Promise<T>,
    stop?: AbortSignal,
  ): Promise<T | undefined> {
    const input = { ...addressOf(key), ...(range === undefined ? {} : { Range: range }) }
    return call('GetObject', async (deadline) => {
      const abortSignal = stop === undefined ? deadline : AbortSignal.any([deadline, stop])
      const attempt = async (): Promise<T | undefined> => {
        const answer = await absentAsUndefined(client.send(new GetObjectCommand(input), { abortSignal }))
        return answer && use(answer)
      }
      return attempt().catch((error: unknown) => {
        if (abortSignal.aborted || statusOf(error) !== undefined) throw error
        return attempt()
      })
    })
  }

  function head(key: string): Promise<HeadObjectCommandOutput | undefined> {
    const input = addressOf(key)
    return call('HeadObject', (abortSignal) =>
      absentAsUndefined(client.send(new HeadObjectCommand(input), { abortSignal })),
    )
  }

  /** A part of the blob that was opened, and of no other that has its key by now. */
  async function fetchPart(
    key: string,
    opened: Described,
    part: { readonly start: number; readonly end: number },
    stop: AbortSignal,
  ): Promise<TemporaryFile> {
    const { start, end } = part
    const bytes = opened.ContentLength ?? 0
    const isWhole = start === 0 && end === bytes - 1
    const range = isWhole ? undefined : `bytes=${start}-${end}`
    const use = (answer: GetObjectCommandOutput): Promise<TemporaryFile> => {
      const [was, is] = [opened, answer].map(({ Metadata, ETag }) => Metadata?.[hashName] ?? ETag)
      const length = end - start + 1
      if (was === is && answer.ContentLength === length) return fileOf(answer, isWhole, temporary)
      dismiss(answer)
      throw notWhole('a blob was replaced while it was read')
    }
    const file = await get(key, range, async (answer) => use(answer), stop)
    if (file === undefined) throw new Error('a blob was removed while it was read')
    return file
  }

  function openBlob(key: string, opened: Described): OpenBlob {
    return {
      bytes: opened.ContentLength ?? 0,
      stream: (start, end) => streamOf((stop) => fetchPart(key, opened, { start, end }, stop)),
      close: () => Promise.resolve(),
    }
  }

  /** Of a longer one the answer tells the length, and its bytes are left in the store. */
  const openWhole = (key: string, maxBytes: number): Promise<OpenBlob | undefined> =>
    get(key, undefined, async (answer) => {
      if ((answer.ContentLength ?? 0) <= maxBytes) return blobInMemory(await bytesOf(answer, true))
      dismiss(answer)
      return openBlob(key, answer)
    })

  function staged(received: ReceivedFile): StagedBlob {
    const { file, descriptor, sha256, bytes } = received
    let isOpen = true

    const requireOpen = (): void => {
      if (!isOpen) throw new Error('a received file is used after it was kept or discarded')
    }
    const discard = async (): Promise<void> => {
      if (!isOpen) return
      isOpen = false
      await temporary.forget(file, descriptor)
    }

    return {
      sha256,
      bytes,
      readInto: async (memory, from) => {
        requireOpen()
        await readInto(received, memory, from)
      },
      keep: async (key) => {
        assertKey(key)
        requireOpen()
        await sending.run(async () => put(key, await readWhole(received), sha256))
        await discard()
      },
      discard,
    }
  }

  async function remove(key: string): Promise<void> {
    const input = addressOf(key)
    await call('DeleteObject', (abortSignal) =>
      absentAsUndefined(client.send(new DeleteObjectCommand(input), { abortSignal })),
    )
  }

  async function* list(folder: string, after = ''): AsyncGenerator<BlobEntry> {
    const below = base + (folder === '' ? '' : `${assertKey(folder)}/`)
    const begin = after === '' ? {} : { StartAfter: base + assertKey(after) }
    let page: ListObjectsV2CommandOutput | undefined
    do {
      const next = page?.NextContinuationToken
      const input = {
        Bucket: bucket,
        Prefix: below,
        ...(next === undefined ? begin : { ContinuationToken: next }),
      }
      page = await call('ListObjectsV2', (abortSignal) =>
        client.send(new ListObjectsV2Command(input), { abortSignal }),
      )
      for (const { Key: key, Size: bytes, LastModified: at } of page.Contents ?? [])
        if (key !== undefined && bytes !== undefined && at !== undefined)
          yield { key: key.slice(base.length), bytes, writtenAt: at.getTime() }
    } while (page.IsTruncated === true)
  }

  let probed: Promise<void> | undefined
  async function probeAnew(): Promise<void> {
    try {
      await ask((abortSignal) => client.send(new HeadBucketCommand({ Bucket: bucket }), { abortSignal }))
    } catch (error) {
      throw unusable(place, error)
    } finally {
      setTimeout(() => {
        probed = undefined
      }, probedForMs).unref()
    }
  }

  return {
    receive: async (source, limitBytes) => {
      const received = await temporary.receive(source, limitBytes)
      return received && staged(received)
    },

    put: async (key, bytes) => put(key, bytes, sha256Of(bytes)),

    read: async (key) => get(key, undefined, async (answer) => bytesOf(answer, true)),

    readPart: async (key, start, bytes) => {
      const range = `bytes=${start}-${start + bytes - 1}`
      const part = await get(key, range, async (answer) => {
        const isPart = answer.ContentRange !== undefined
        const come = await bytesOf(answer, !isPart)
        return isPart ? come : come.subarray(start, start + bytes) // of a store that knows no ranges
      })
      return part?.length === bytes ? part : undefined
    },

    open: async (key, { wholeBytes = 0 } = {}) => {
      if (wholeBytes > 0) return openWhole(key, wholeBytes)
      const opened = await head(key)
      return opened && openBlob(key, opened)
    },

    has: async (key) => (await head(key)) !== undefined,

    remove,

    removeAll: createBatchRemoval({ ...calls, call }, place, remove),

    list,

    sweepStaged: temporary.sweep,

    probe: () => (probed ??= probeAnew()),

    close: async () => calls.close(),
  }
}
