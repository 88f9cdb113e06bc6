// The order of the feed, and its end where old events are deleted; over PostgreSQL in tests/database/postgres.slow.test.ts.
import path from 'node:path'
import { openDatabase } from '../../src/database/open-database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { newFolder } from '../helpers/folders.ts'
import { testFeed, type OpenForFeed } from './feed-suite.ts'
import { testRetention } from './retention-suite.ts'

const open: OpenForFeed = async (t) => {
  const databaseFile = path.join(await newFolder(t), 'data', 'waymark.sqlite')
  const reopen = async () => {
    const database = await openDatabase({ engine: 'sqlite', file: databaseFile })
    t.after(() => database.close())
    return database
  }
  const database = await reopen()
  await migrate(database)
  return { database, reopen }
}

testFeed('sqlite', open)
testRetention('sqlite', open)
