// The slow tests that share process 1 of 4.
import { importPart } from './import-part.ts'

await importPart('slow', 0)
