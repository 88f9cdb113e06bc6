// The tests of tests/full's folders in one process, part 4 of 4.
import { importPart } from '../../together/import-part.ts'

await importPart('full', 3)
