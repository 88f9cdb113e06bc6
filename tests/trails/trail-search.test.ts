// Searches of trails over SQLite; tests/database/postgres.slow.test.ts runs the same over PostgreSQL.
import path from 'node:path'
import { openDatabase } from '../../src/database/open-database.ts'
import { newFolder } from '../helpers/folders.ts'
import { testTrailSearch } from './trail-search-suite.ts'

testTrailSearch('sqlite', async (t) => {
  const file = path.join(await newFolder(t), 'waymark.sqlite')
  const reopen = async () => {
    const database = await openDatabase({ engine: 'sqlite', file })
    t.after(() => database.close())
    return database
  }
  return { reopen, database: await reopen() }
})
