// Tags and texts of a document as saxes has them, whatever quotes, references, sections, comments and line ends it is of.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { readingTags } from '../../../src/shared/gpx/rewrite/xml-tags.ts'
import { atOnce } from '../../../src/shared/yielding.ts'

type Reported = readonly ['open', string, ...string[]] | readonly ['close'] | readonly ['text', string]

/** Texts in a row are one. */
function joined(all: readonly Reported[]): Reported[] {
  const found: Reported[] = []
  for (const reported of all) {
    const last = found.at(-1)
    if (reported[0] === 'text' && last?.[0] === 'text')
      found[found.length - 1] = ['text', last[1] + reported[1]]
    else if (reported[0] !== 'text' || reported[1] !== '') found.push(reported)
  }
  return found
}

function ours(document: string): Reported[] {
  const reported: Reported[] = []
  const handler = {
    open: (name: string, attributes: readonly string[]) => void reported.push(['open', name, ...attributes]),
    close: () => void reported.push(['close']),
    wantsText: () => true,
    text: (text: string) => void reported.push(['text', text]),
  }
  atOnce(readingTags(document, handler))
  return joined(reported)
}

function theirs(document: string): Reported[] {
  const reported: Reported[] = []
  const parser = new SaxesParser({ xmlns: false })
  const keep = (text: string): void => void reported.push(['text', text])
  parser.on('opentag', ({ name, attributes }) => {
    reported.push(['open', name, ...Object.entries(attributes).flat()])
  })
  parser.on('closetag', () => void reported.push(['close']))
  parser.on('text', keep)
  parser.on('cdata', keep)
  parser.on('error', (error) => {
    throw error
  })
  parser.write(document).close()
  return joined(reported)
}

const bit = fc.constantFrom(
  'x',
  'é',
  '🥾',
  ' ',
  '\n',
  '\r\n',
  '\r',
  '\t',
  '&lt;',
  '&amp;',
  '&gt;',
  '&quot;',
  '&apos;',
  '&#13;',
  '&#x1F97e;',
  '&#38;lt;',
  "'",
  '>',
  '/',
  '=',
  ']',
  '-',
  '?',
  '!',
  ';',
  '0',
)
const words = fc.array(bit, { maxLength: 6 }).map((bits) => bits.join(''))
const name = fc.constantFrom('a', 'b.c', 'p:d-e', 'ñ', '_1')
const blank = fc.constantFrom('', ' ', '\n', '\t\r\n')
const attribute = fc
  .tuple(fc.constantFrom(' ', '\n ', '\r\n'), blank, blank, fc.constantFrom('"', "'"), words)
  .map(([before, left, right, quote, value]) => ({
    before,
    left,
    right,
    quote,
    value: value.replaceAll(quote, ''),
  }))
const start = fc.tuple(name, fc.array(attribute, { maxLength: 3 }), blank).map(([tag, attributes, end]) => ({
  tag,
  text: `<${tag}${attributes.map(({ before, left, right, quote, value }, at) => `${before}k${at}${left}=${right}${quote}${value}${quote}`).join('')}${end}`,
}))
const { node: documents } = fc.letrec<{ node: string; content: string }>((tie) => ({
  node: fc
    .tuple(start, fc.array(tie('content'), { maxLength: 4 }), blank)
    .map(([{ tag, text }, inside, end]) =>
      inside.length === 0 ? `${text}/>` : `${text}>${inside.join('')}</${tag}${end}>`,
    ),
  content: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'xml' },
    words.map((text) => text.replaceAll(']]>', '')),
    words.map((text) => `<![CDATA[<a>&${text.replaceAll(']', '')}]]>`),
    words.map((text) => `<!--<b> ${text.replaceAll('-', '')}-->`),
    words.map((text) => `<?pi <c> ${text.replaceAll('?', '')}?>`),
    tie('node'),
  ),
}))

test('any document is read as saxes does', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('', '\u{feff}', '<?xml version="1.0"?>\n<!-- > -->'),
      documents,
      (before, root) => {
        const document = `${before}${root}\n`
        const inside = (all: Reported[]): Reported[] =>
          all.filter(([kind], at) => kind !== 'text' || (at > 0 && at < all.length - 1))
        assert.deepEqual(inside(ours(document)), inside(theirs(document)))
      },
    ),
    { numRuns: 2_000 },
  )
})

test('a document truncated anywhere is read up to there or throws, and never hangs', () => {
  const document = `<?xml version="1.0"?><a k = 'v>' l="&lt;"><!-- - --><b/><![CDATA[x]]]>&#x41;</a >`
  for (let end = 0; end <= document.length; end += 1) {
    try {
      ours(document.slice(0, end))
    } catch (error) {
      assert.match(String(error), /is missing$/)
    }
  }
})
