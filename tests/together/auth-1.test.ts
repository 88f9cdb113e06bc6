// The tests of tests/auth in one process, part 2 of 2.
import { importPart } from './import-part.ts'

await importPart('auth', 1)
