// The tests of tests/openapi in one process, part 1 of 1.
import { importPart } from './import-part.ts'

await importPart('openapi', 0)
