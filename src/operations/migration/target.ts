// The target of a migration: it must be empty, or contain part of the same migration; it is marked until it is
// complete.
import type { Blobs } from '../../storage/port.ts'
import { arrivalKey } from '../../storage/arrival.ts'
import { beginArrival, findArrival, requireArrived, type Arrival } from '../../database/arrival.ts'
import { findDataIn } from '../../database/copy-rows.ts'
import type { Database } from '../../database/database.ts'
import { layoutOf } from '../../database/layout.ts'
import { migrate } from '../../database/migrate.ts'

export type MoveFailure = 'already-there' | 'not-there' | 'move-running'

/** Makes the error to throw: one sentence, and the word by which the command line knows the exit code. */
export function failMove(code: MoveFailure, sentence: string): Error {
  return Object.assign(new Error(sentence), { failureCode: code })
}

const isSame = (one: Arrival, other: Arrival): boolean => one.command === other.command && one.of === other.of

/** @returns whether a former run of the same arrival has been here. @throws Error of one sentence where others' data is. */
async function requireFreeDatabase(database: Database, arrival: Arrival): Promise<boolean> {
  const found = await findArrival(database.db)
  if (found && isSame(found, arrival)) return true
  requireArrived(found)
  const table = await findDataIn(database.db, await layoutOf(database))
  if (table === undefined) return false
  throw failMove(
    'already-there',
    `${database.where} already contains data, in the table ${table}: choose an empty database.`,
  )
}

async function requireFreeBlobs(blobs: Pick<Blobs, 'list'>): Promise<void> {
  const { done } = await blobs.list('')[Symbol.asyncIterator]().next()
  if (done !== true)
    throw failMove('already-there', 'The target storage already contains photos: choose an empty one.')
}

export interface Target {
  readonly database: Database | undefined
  readonly blobs: Pick<Blobs, 'open' | 'put' | 'read' | 'list' | 'remove'> | undefined
}

/**
 * Prepares the target and marks it: in the database or, if no rows are migrated, in the store.
 * @returns whether a former run has begun here.
 */
export async function beginAt({ database, blobs }: Target, arrival: Arrival): Promise<boolean> {
  if (database) {
    await database.requireNobodyServing?.()
    const isResumed = await requireFreeDatabase(database, arrival)
    if (blobs && !isResumed) await requireFreeBlobs(blobs)
    if (!isResumed) await beginArrival(database.db, arrival)
    await migrate(database, { state: 'arriving' })
    return isResumed
  }
  if (!blobs) return false
  const sign = Buffer.from(JSON.stringify(arrival))
  const found = await blobs.read(arrivalKey)
  if (found && sign.equals(found)) return true
  await requireFreeBlobs(blobs)
  await blobs.put(arrivalKey, sign, 'durable')
  return false
}
