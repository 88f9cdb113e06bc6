// The tests of tests/http in one process, part 3 of 3.
import { importPart } from './import-part.ts'

await importPart('http', 2)
