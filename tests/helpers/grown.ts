// Opens a database with the given number of images, filled like that of the growth benchmark.
import path from 'node:path'
import type { TestContext } from 'node:test'
import { growDatabase, type Grown } from '../../bench/parts/grow.ts'
import type { Database } from '../../src/database/database.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { newFolder } from './folders.ts'

export interface GrownDatabase extends Grown {
  readonly database: Database
  readonly file: string
}

/** @param now see `growDatabase`. */
export async function openGrown(t: TestContext, images: number, now = Date.now()): Promise<GrownDatabase> {
  const file = path.join(await newFolder(t), 'waymark.sqlite')
  const empty = await openDatabase({ engine: 'sqlite', file: file })
  await migrate(empty)
  await empty.close()
  const grown = growDatabase(file, images, now)
  const database = await openDatabase({ engine: 'sqlite', file: file })
  t.after(() => database.close())
  return { ...grown, database, file }
}
