// All of tests/auth/matrix/matrix.txt: every kind of caller.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { committedMatrix, describeMatrix, everyActor } from './matrix.ts'

void test('C31: every endpoint × every kind of caller × each owner matches the committed table', async () => {
  assert.deepEqual(await describeMatrix(everyActor), await committedMatrix(everyActor))
})
