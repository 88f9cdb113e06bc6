// Half of the 20,000 requests generated from the OpenAPI document; the other half runs in another process (fuzz.test.ts).
import { test } from 'node:test'
import { fuzzAsTold } from './fuzz/judged.ts'

void test('the server accepts what its document allows, and survives everything else', (t) =>
  fuzzAsTold(t, 10_000, 2))
