// The tests of tests/imaging in one process.
import { importPart } from './import-part.ts'

await importPart('imaging', 0)
