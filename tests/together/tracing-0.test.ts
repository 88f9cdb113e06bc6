// The tests of tests/tracing in one process, part 1 of 1.
import { importPart } from './import-part.ts'

await importPart('tracing', 0)
