// Strings that programs stumble over, in every place where a client may put one; tests/full has those of others too.
import { ownStrings } from './naughty-strings.ts'
import { testStrings } from './naughty-suite.ts'

await testStrings(ownStrings)
