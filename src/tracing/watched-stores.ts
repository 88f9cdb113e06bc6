// Puts the steps of a trace around what is slow in the stores: transactions, and calls of the blobs. No key, no SQL and no
// value is told: the first are hashes of photos, and the last are what people sent.
import type { Blobs, StagedBlob } from '../blobs/port.ts'
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

function watchBlobs(blobs: Blobs, step: Step): Blobs {
  const watchStaged = (staged: StagedBlob): StagedBlob => ({
    ...staged,
    keep: (key) => step('blob keep', () => staged.keep(key)),
  })
  return {
    ...blobs,
    receive: async (source, limitBytes) => {
      const staged = await step('blob receive', () => blobs.receive(source, limitBytes))
      return staged && watchStaged(staged)
    },
    put: (key, bytes, durability) => step('blob put', () => blobs.put(key, bytes, durability)),
    read: (key) => step('blob read', () => blobs.read(key)),
    open: (key) => step('blob open', () => blobs.open(key)),
    has: (key) => step('blob has', () => blobs.has(key)),
    remove: (key) => step('blob remove', () => blobs.remove(key)),
  }
}

export const watchStores = <S extends Stores>(stores: S, step: Step): S => ({
  ...stores,
  database: { ...stores.database, db: watchTransactions(stores.database.db, step) },
  blobs: watchBlobs(stores.blobs, step),
})
