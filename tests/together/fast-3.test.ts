// The fast tests that share process 4 of 6.
import { importPart } from './import-part.ts'

await importPart('fast', 3)
