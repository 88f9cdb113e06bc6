// Every endpoint answers every kind of caller as matrix.txt says (C28–C31); here the callers that differ most, in tests/full all.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { committedMatrix, describeMatrix, type ActorNames } from './matrix.ts'

const callers: ActorNames = ['none', 'iw', 'lim', 'sM']

void test('C31: every endpoint × who asks × whose thing is as the committed table has it', async () => {
  assert.deepEqual(
    await describeMatrix(callers),
    await committedMatrix(callers),
    'where the change is meant, run "node tests/auth/matrix.ts", read the diff, and commit matrix.txt',
  )
})
