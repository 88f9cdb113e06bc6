// waymark migrate: migrates the database schema to the current version, as every start does.
import type { Command } from 'commander'
import { openDatabase } from '../../src/database/open-database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { readSettings } from '../installation.ts'
import type { Output } from '../output.ts'

export function addMigrate(parent: Command, output: Output): void {
  parent
    .command('migrate')
    .description('update the database schema')
    .action(async () => {
      const database = await openDatabase(readSettings().databasePlace)
      try {
        const { applied, latest } = await migrate(database)
        output.answer({
          document: { applied, schema: latest },
          lines: [...applied.map((name) => `Applied ${name}.`), `The schema is up to date (${latest}).`],
        })
      } finally {
        await database.close()
      }
    })
}
