// The slow tests that share process 2 of 4.
import { importPart } from './import-part.ts'

await importPart('slow', 1)
