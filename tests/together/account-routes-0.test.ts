// The tests of tests/account-routes in one process, part 1 of 2.
import { importPart } from './import-part.ts'

await importPart('account-routes', 0)
