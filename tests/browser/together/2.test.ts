// The tests of tests/browser in one process, part 3 of 3.
import { importPart } from '../../together/import-part.ts'

await importPart('browser', 2)
