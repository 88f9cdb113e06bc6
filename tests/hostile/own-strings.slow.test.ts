// Strings that often cause bugs, in every place where a client may put one; third-party ones are tested separately.
import { ownStrings } from './naughty-strings.ts'
import { testStrings } from './naughty-suite.ts'

await testStrings(ownStrings)
