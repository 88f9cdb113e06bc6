// Requests made from the OpenAPI document, valid ones and ones with a fault, sent to a running server. FUZZ_SEED makes a run
// again, FUZZ_BATCH one batch of it; FUZZ_COUNT makes it longer. fuzz-*.slow.own.test.ts are the long runs.
import { test } from 'node:test'
import { fuzzAsTold } from './fuzz/judged.ts'

void test('the server takes what its document says, and survives what it does not', (t) => fuzzAsTold(t, 500))
