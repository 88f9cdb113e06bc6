// A body made of very many comments is refused as one of very many elements is: each costs the parser as much (trust 33).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atOnce } from '../../../src/shared/yielding.ts'
import { readingXml } from '../../../src/shared/xml/xml-reader.ts'
import { assertFault, bytesOf, valueOf } from '../contract-helpers.ts'

const withComments = (count: number): Uint8Array => bytesOf(`<a>${'<!---->'.repeat(count)}</a>`)

void test('trust 33: the number of comments, CDATA sections and processing instructions is limited', () => {
  const options = { maxElements: 100 }
  assert.equal(valueOf(atOnce(readingXml(withComments(100), undefined, options))).name, 'a')
  assertFault(
    atOnce(readingXml(withComments(101), undefined, options)),
    'malformed-body',
    'The body has more than 100 comments, CDATA sections and processing instructions (line 1, column 704).',
  )
})
