// The tests of tests/full's folders in one process, part 1 of 4.
import { importPart } from '../../together/import-part.ts'

await importPart('full', 0)
