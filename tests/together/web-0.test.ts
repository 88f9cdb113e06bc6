// The tests of tests/web in one process.
import { importPart } from './import-part.ts'

await importPart('web', 0)
