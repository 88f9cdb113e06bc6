// The tests of tests/hostile in one process.
import { importPart } from './import-part.ts'

await importPart('hostile', 0)
