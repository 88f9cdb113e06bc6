// The tests of tests/contract in one process.
import { importPart } from './import-part.ts'

await importPart('contract', 0)
