// WRONG ON PURPOSE: preloaded into the real command. Transactions do nothing, so each statement is committed separately.
import { DatabaseSync } from 'node:sqlite'

const { prepare } = DatabaseSync.prototype
Object.assign(DatabaseSync.prototype, {
  prepare(this: DatabaseSync, text: string) {
    return prepare.call(this, /^(begin|commit|rollback)/i.test(text) ? 'select 1' : text)
  },
})
