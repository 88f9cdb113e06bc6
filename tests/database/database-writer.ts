// A worker thread that writes to a database at the same time as others, like a command-line tool beside a server.
import { parentPort, workerData } from 'node:worker_threads'
import { openDatabase } from '../../src/database/open-database.ts'
import { migrate } from '../../src/database/migrate.ts'

const { databaseFile, transactions } = workerData as { databaseFile: string; transactions: number }

const database = await openDatabase({ engine: 'sqlite', file: databaseFile })
const { applied } = await migrate(database)
for (let round = 0; round < transactions; round += 1) {
  await database.db.transaction().execute(async (tx) => {
    // Reads first: a transaction that took its write lock only now would fail if another had written in between.
    const { version } = await tx.selectFrom('trail').select('version').executeTakeFirstOrThrow()
    await tx
      .updateTable('trail')
      .set({ version: version + 1 })
      .execute()
  })
}
await database.close()
parentPort?.postMessage(applied, [])
