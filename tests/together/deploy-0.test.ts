// The tests of tests/deploy in one process.
import { importPart } from './import-part.ts'

await importPart('deploy', 0)
