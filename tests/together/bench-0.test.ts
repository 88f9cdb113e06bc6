// The tests of tests/bench in one process.
import { importPart } from './import-part.ts'

await importPart('bench', 0)
