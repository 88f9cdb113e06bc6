// The map squares on SQLite; postgres.slow.test.ts runs the same on PostgreSQL.
import path from 'node:path'
import { openDatabase } from '../../src/database/open-database.ts'
import { newFolder } from '../helpers/folders.ts'
import { testMapSquares } from './map-squares-suite.ts'

testMapSquares('sqlite', async (t) => {
  const file = path.join(await newFolder(t), 'waymark.sqlite')
  const reopen = async () => {
    const database = await openDatabase({ engine: 'sqlite', file })
    t.after(() => database.close())
    return database
  }
  return { reopen, database: await reopen() }
})
