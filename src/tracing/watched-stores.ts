// Adds spans for slow parts of the stores: transactions, and calls of the blob store. Keys, SQL and values are never
// recorded: keys are hashes of photos, and values are personal data.
import { watchBlobs } from '../storage/watched-blobs.ts'
import type { Db } from '../database/database.ts'
import type { Stores, Tracing } from './tracing.ts'

type Step = Tracing['step']

/** The same object with one method replaced. As a proxy, since kysely's objects keep private fields, which a copy lacks. */
function replacing<T extends object>(target: T, method: keyof T, replacement: unknown): T {
  return new Proxy(target, {
    get: (_, name) => {
      if (name === method) return replacement
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

function watchTransactions(db: Db, step: Step): Db {
  return replacing(db, 'transaction', () => {
    const builder = db.transaction()
    const execute: typeof builder.execute = (work) => step('transaction', () => builder.execute(work))
    return replacing(builder, 'execute', execute)
  })
}

export const watchStores = <S extends Stores>(stores: S, step: Step): S => ({
  ...stores,
  database: { ...stores.database, db: watchTransactions(stores.database.db, step) },
  blobs: watchBlobs(stores.blobs, (call, work) => step(`blob ${call}`, work)),
})
