// The tests of tests/trails in one process.
import { importPart } from './import-part.ts'

await importPart('trails', 0)
