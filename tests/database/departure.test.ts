// The log of changed rows, and a copy that follows its source, between two SQLite files.
import path from 'node:path'
import type { TestContext } from 'node:test'
import { openSqlite } from '../../src/database/sqlite/sqlite.ts'
import { newFolder } from '../helpers/folders.ts'
import { testDeparture } from './departure-suite.ts'

testDeparture('sqlite', async (t: TestContext) => {
  const file = path.join(await newFolder(t), 'waymark.sqlite')
  const reopen = async () => {
    const database = openSqlite(file)
    t.after(() => database.close())
    return database
  }
  return { reopen, database: await reopen() }
})
