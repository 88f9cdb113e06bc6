// The fast tests that share process 1 of 6.
import { importPart } from './import-part.ts'

await importPart('fast', 0)
