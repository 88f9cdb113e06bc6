// A pull's queries for existing data, a hundred rows at a time.
import { findExistingAccount } from '../../src/accounts/unclaimed.ts'
import type { Db } from '../../src/database/database.ts'
import { findPulled, listSources } from '../../src/database/pulled-table.ts'
import { findImagesHere, findPlaces, listPlaced } from '../../src/images/pulled/pulled-images-table.ts'

const [trail, account] = [4711, 42]
const ids = [1, 2]

export const pullQuestions: readonly (readonly [string, (db: Db) => Promise<unknown>])[] = [
  ['pull: what the other server last said', (db) => findPulled(db, 'image', ids)],
  ['pull: an account that a pull made', (db) => findPulled(db, 'account', [account])],
  ['pull: the servers that were pulled from', (db) => listSources(db)],
  ['pull: photos that are here', (db) => findImagesHere(db, ids)],
  ['pull: their places in the list', (db) => findPlaces(db, ids)],
  ['pull: what the list of a trail shows here', (db) => listPlaced(db, trail, 0, 500)],
  ['pull: an account', (db) => findExistingAccount(db, account)],
]
