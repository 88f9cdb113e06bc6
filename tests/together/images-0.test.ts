// The tests of tests/images in one process, part 1 of 1.
import { importPart } from './import-part.ts'

await importPart('images', 0)
