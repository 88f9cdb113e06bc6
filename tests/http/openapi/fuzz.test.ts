// Valid and faulty requests generated from the OpenAPI document, sent to a running server. The seed is constant, so that
// a change fails only because of itself: FUZZ_SEED=random explores more, FUZZ_SEED=<number> repeats such a run,
// FUZZ_BATCH one batch of it; FUZZ_COUNT sets the length. fuzz-*.slow.own.test.ts are the long runs.
import { test } from 'node:test'
import { fuzzAsTold } from './fuzz/judged.ts'

void test('the server accepts what its document allows, and survives everything else', (t) =>
  fuzzAsTold(t, 500, 1))
