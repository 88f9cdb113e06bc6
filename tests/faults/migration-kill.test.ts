// A limited number of kills during a migration: the next start completes it as if nothing had happened.
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { newFolder } from '../helpers/folders.ts'
import { runMigrationKills } from './migration-kill.ts'

/** Evenly spread, including the first and the last. */
const some =
  (number: number) =>
  (total: number): number[] =>
    Array.from({ length: number }, (_, at) => 1 + Math.round((at * (total - 1)) / (number - 1)))

void test('trust 19: a migration killed at any statement is completed by the next start', async (t) => {
  const folder = await newFolder(t)
  const report = await runMigrationKills({ folder, from: 'oldest', choose: some(6), atCalls: false })
  assert.deepEqual(report.faults, [])
  assert.ok(report.kills >= 5 * report.starts.length, `only ${report.kills} kills`)
  t.diagnostic(`${report.kills} kills from ${report.starts.join(', ')}`)
})

void test('the test itself: migrations without a transaction are caught', async (t) => {
  const folder = await newFolder(t)
  const preload = [path.join(import.meta.dirname, 'wrong/no-transactions.ts')]
  const { faults } = await runMigrationKills({
    folder,
    from: 'nothing',
    choose: some(3),
    atCalls: false,
    preload,
  })
  assert.ok(faults.length > 0)
})
