// The tests of tests/maps in one process, part 1 of 1.
import { importPart } from './import-part.ts'

await importPart('maps', 0)
