// The tests of tests/backends in one process.
import { importPart } from './import-part.ts'

await importPart('backends', 0)
