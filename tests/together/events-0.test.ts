// The tests of tests/events in one process.
import { importPart } from './import-part.ts'

await importPart('events', 0)
