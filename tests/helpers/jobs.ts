// Background jobs for tests of a part that has one.
import assert from 'node:assert/strict'
import { createJobs, type Jobs } from '../../src/jobs/runner.ts'

/** Jobs of which none may fail. @param onFault instead, if a test makes one fail. */
export const testJobs = (onFault: (error: unknown) => void = assert.ifError): Jobs =>
  createJobs({
    now: Date.now,
    isReadOnly: async () => false,
    log: { error: ({ err }: { err?: unknown }) => onFault(err), info: () => undefined },
  })
