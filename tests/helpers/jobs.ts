// Background jobs for tests.
import assert from 'node:assert/strict'
import { createJobs, type Jobs } from '../../src/jobs/runner.ts'

/**
 * Jobs that must not fail.
 * @param onFault called instead, for tests that make a job fail.
 */
export const testJobs = (onFault: (error: unknown) => void = assert.ifError): Jobs =>
  createJobs({
    now: Date.now,
    isReadOnly: async () => false,
    log: { error: ({ err }: { err?: unknown }) => onFault(err), info: () => undefined },
  })
