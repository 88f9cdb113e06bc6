// Requests made from the OpenAPI document, valid ones and ones with a fault, sent to a running server. The seed is the same
// each time, so that a change fails only for what it changes: FUZZ_SEED=random looks for more, FUZZ_SEED=<number> repeats such
// a run, FUZZ_BATCH one batch of it; FUZZ_COUNT makes it longer. fuzz-*.slow.own.test.ts are the long runs.
import { test } from 'node:test'
import { fuzzAsTold } from './fuzz/judged.ts'

void test('the server takes what its document says, and survives what it does not', (t) =>
  fuzzAsTold(t, 500, 1))
