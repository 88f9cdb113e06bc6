// Removes many objects of an S3 store in one call, and one by one where a store knows no such call.
import { DeleteObjectsCommand, type DeleteObjectsCommandOutput } from '@aws-sdk/client-s3'
import type { S3Place } from '../settings/blob-settings.ts'
import { removeEach, removeInBatches } from './removing.ts'
import { statusOf, type S3Calls } from './s3-calls.ts'

const callsAtOnce = 2
const singlesAtOnce = 16
/** As many keys as S3 takes in a call; one store removes them in half a second, another forty a second. */
const maxKeys = 1_000
const minKeys = 10
const keysAtFirst = 50
const quickMs = 500
/** Calls that last longer come near the six seconds that a store may be silent (s3-calls.ts). */
const slowMs = 2_000

/** How many keys a call is to have, by how long those before took. */
function createBatchSize() {
  let keys = keysAtFirst
  return {
    now: (): number => keys,
    /** @param count of the keys that a call had. */
    time: async <T>(count: number, call: () => Promise<T>): Promise<T> => {
      const begun = performance.now()
      const tookMs = (): number => performance.now() - begun
      const shrink = (): void => {
        keys = Math.max(minKeys, Math.min(keys, count >> 1))
      }
      try {
        const answer = await call()
        if (tookMs() > slowMs) shrink()
        else if (tookMs() < quickMs && count >= keys) keys = Math.min(maxKeys, keys * 2)
        return answer
      } catch (error) {
        shrink()
        throw error
      }
    },
  }
}

/** The call as a whole is none that the store knows, or not in this form; nothing of it was done. */
const unknownCall: ReadonlySet<unknown> = new Set([400, 405, 501])

const isGone = (code: string | undefined): boolean => code === 'NoSuchKey'

type Answer = Pick<DeleteObjectsCommandOutput, 'Deleted' | 'Errors'>

/** @param objects as the store calls them. @returns why, of each that the answer does not call gone. */
function failuresIn(objects: readonly string[], { Deleted: deleted = [], Errors: errors = [] }: Answer) {
  const reasons = new Map(errors.map((error) => [error.Key, error]))
  const gone = new Set(deleted.map(({ Key: key }) => key))
  return objects.flatMap((object, at): [number, Error][] => {
    const { Code: code, Message: message } = reasons.get(object) ?? {}
    if (reasons.has(object) ? isGone(code) : gone.has(object)) return []
    const reason = reasons.has(object)
      ? `${code ?? 'Error'}: ${message ?? 'no reason given'}`
      : 'no word of this key'
    return [[at, Object.assign(new Error(`DeleteObjects: ${reason}`), { code: 'EREMOTEIO' })]]
  })
}

/** @param removeOne the same for a single key. */
export function createBatchRemoval(
  { batchClient, call }: Pick<S3Calls, 'batchClient' | 'call'>,
  { bucket, prefix }: S3Place,
  removeOne: (key: string) => Promise<void>,
) {
  const size = createBatchSize()
  const base = prefix === '' ? '' : `${prefix}/`

  /** Not quiet: a store that was cut off, and answers of half the keys, would look like one that removed them all. */
  async function send(objects: readonly string[]): Promise<DeleteObjectsCommandOutput | undefined> {
    const input = { Bucket: bucket, Delete: { Objects: objects.map((object) => ({ Key: object })) } }
    return call('DeleteObjects', async (abortSignal) => {
      try {
        return await batchClient.send(new DeleteObjectsCommand(input), { abortSignal })
      } catch (error) {
        if (unknownCall.has(statusOf(error))) return undefined
        throw error
      }
    })
  }

  async function removeBatch(
    keys: readonly string[],
    mayGoOn: () => boolean,
  ): Promise<ReadonlyMap<string, Error>> {
    const objects = keys.map((key) => base + key)
    const answer = await size.time(objects.length, () => send(objects))
    if (answer === undefined) return removeEach(keys, { atOnce: singlesAtOnce, mayGoOn }, removeOne)
    return new Map(failuresIn(objects, answer).map(([at, error]) => [keys[at] ?? '', error]))
  }

  /** What `removeAll` of the port says. */
  return (keys: readonly string[], mayGoOn: () => boolean): Promise<ReadonlyMap<string, Error>> =>
    removeInBatches(keys, { atOnce: callsAtOnce, mayGoOn, batch: size.now }, (some) =>
      removeBatch(some, mayGoOn),
    )
}
