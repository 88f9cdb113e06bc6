// The tests of tests/auth in one process, part 1 of 2.
import { importPart } from './import-part.ts'

await importPart('auth', 0)
