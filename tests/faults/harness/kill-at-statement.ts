// Preloaded into a command: kills the process just before its N-th SQL statement, or reports how many it ran.
import { writeSync } from 'node:fs'
import { DatabaseSync, StatementSync } from 'node:sqlite'

const killAt = Number(process.env['KILL_AT_STATEMENT'] ?? '0')
let statements = 0

function beforeStatement(): void {
  statements += 1
  if (statements === killAt) process.kill(process.pid, 'SIGKILL')
}

function counted(prototype: object, names: readonly string[]): void {
  for (const name of names) {
    const method = Reflect.get(prototype, name) as (...values: unknown[]) => unknown
    Reflect.set(prototype, name, function (this: unknown, ...values: unknown[]): unknown {
      beforeStatement()
      return method.apply(this, values)
    })
  }
}

counted(DatabaseSync.prototype, ['exec'])
counted(StatementSync.prototype, ['run', 'all', 'get', 'iterate'])
process.on('exit', () => writeSync(2, `statements: ${statements}\n`))
