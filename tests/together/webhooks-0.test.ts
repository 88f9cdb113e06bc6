// The tests of tests/webhooks in one process.
import { importPart } from './import-part.ts'

await importPart('webhooks', 0)
