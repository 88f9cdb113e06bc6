// Strings that programs stumble over, in every place where a client may put one; those of others are beside it.
import { ownStrings } from './naughty-strings.ts'
import { testStrings } from './naughty-suite.ts'

await testStrings(ownStrings)
