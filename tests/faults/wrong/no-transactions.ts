// WRONG ON PURPOSE, and preloaded into the real command: a database whose transactions do nothing, so that each statement stands alone.
import { DatabaseSync } from 'node:sqlite'

const { prepare } = DatabaseSync.prototype
Object.assign(DatabaseSync.prototype, {
  prepare(this: DatabaseSync, text: string) {
    return prepare.call(this, /^(begin|commit|rollback)/i.test(text) ? 'select 1' : text)
  },
})
