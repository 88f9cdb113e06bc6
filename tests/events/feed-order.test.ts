// The order of the feed over every engine.
import path from 'node:path'
import { openDatabase } from '../../src/database/open-database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { newFolder } from '../helpers/folders.ts'
import { testFeed } from './feed-suite.ts'

testFeed('sqlite', async (t) => {
  const databaseFile = path.join(await newFolder(t), 'data', 'waymark.sqlite')
  const reopen = async () => {
    const database = await openDatabase({ engine: 'sqlite', file: databaseFile })
    t.after(() => database.close())
    return database
  }
  const database = await reopen()
  await migrate(database)
  return { database, reopen }
})
