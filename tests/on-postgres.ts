// Runs test files with a PostgreSQL behind every Waymark that they start: node tests/on-postgres.ts FILE…
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startPostgres, whyNoPostgres } from './helpers/postgres.ts'

const why = whyNoPostgres()
if (why !== false) throw new Error(why)
const server = await startPostgres()
try {
  const template = await server.createDatabase()
  const child = spawn(process.execPath, ['--test', ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, WAYMARK_TEST_POSTGRES: template },
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  process.exitCode = code ?? 1
} finally {
  await server.end()
}
