// The tests of tests/leaving in one process.
import { importPart } from './import-part.ts'

await importPart('leaving', 0)
