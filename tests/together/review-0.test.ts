// The tests of tests/review in one process.
import { importPart } from './import-part.ts'

await importPart('review', 0)
