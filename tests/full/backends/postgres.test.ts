// The database suites over PostgreSQL: Debian's and, where tests/postgres-18 is installed, the newest.
import { after, before, describe, type TestContext } from 'node:test'
import { openDatabase } from '../../../src/database/database.ts'
import { testDatabase } from '../../backends/database-suite.ts'
import { testUpgrades } from '../../backends/upgrade-suite.ts'
import {
  startPostgres,
  whyNoPostgres,
  type PostgresServer,
  type PostgresVersion,
} from '../../helpers/postgres.ts'

const versions: readonly PostgresVersion[] = ['debian', 'npm']

for (const version of versions) {
  void describe(`PostgreSQL of ${version}`, { skip: whyNoPostgres(version) }, () => {
    let server: PostgresServer | undefined
    before(async () => {
      server = await startPostgres(version)
    })
    after(() => server?.end())

    const openHere = async (t: TestContext) => {
      if (!server) throw new Error('no server')
      const url = await server.createDatabase({ isEmpty: true })
      const reopen = async () => {
        const database = await openDatabase({ engine: 'postgres', url })
        t.after(() => database.close())
        return database
      }
      return { url, reopen, database: await reopen() }
    }

    testDatabase(`postgres (${version})`, openHere)
    testUpgrades(`postgres (${version})`, openHere)
  })
}
