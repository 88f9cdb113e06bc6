// The tests of tests/cli in one process, part 1 of 2.
import { importPart } from './import-part.ts'

await importPart('cli', 0)
