// Runs test files with a PostgreSQL behind every Waymark that they start: node tests/on-postgres.ts [--nodes 3] FILE…
// With several nodes each Waymark is so many of them, behind nginx.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startPostgres, whyNoPostgres } from './helpers/postgres.ts'

const why = whyNoPostgres()
if (why !== false) throw new Error(why)
const server = await startPostgres()
try {
  const template = await server.createDatabase()
  const [flag, count, ...rest] = process.argv.slice(2)
  const nodes = flag === '--nodes' ? (count ?? '1') : '1'
  const files = flag === '--nodes' ? rest : process.argv.slice(2)
  const child = spawn(process.execPath, ['--test', ...files], {
    stdio: 'inherit',
    env: { ...process.env, WAYMARK_TEST_POSTGRES: template, WAYMARK_TEST_NODES: nodes },
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  process.exitCode = code ?? 1
} finally {
  await server.end()
}
