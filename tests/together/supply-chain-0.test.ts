// The tests of tests/supply-chain in one process.
import { importPart } from './import-part.ts'

await importPart('supply-chain', 0)
