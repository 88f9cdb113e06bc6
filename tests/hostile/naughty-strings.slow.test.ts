// Third-party strings from the corpus, if available, in every place where a client may put one.
import { test } from 'node:test'
import { corpusStrings } from './naughty-strings.ts'
import { testStrings } from './naughty-suite.ts'

const strings = corpusStrings()
if (strings.length > 0) await testStrings(strings)
else void test('a public list of naughty strings', { skip: 'the corpus ../shared/corpus is not there' })
