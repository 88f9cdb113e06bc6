// The tests of tests/client in one process.
import { importPart } from './import-part.ts'

await importPart('client', 0)
