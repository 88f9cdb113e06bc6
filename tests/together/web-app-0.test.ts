// The tests of tests/web-app in one process.
import { importPart } from './import-part.ts'

await importPart('web-app', 0)
