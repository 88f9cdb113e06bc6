// The browser tests that share process 2 of 3.
import { importPart } from './import-part.ts'

await importPart('browser', 1)
