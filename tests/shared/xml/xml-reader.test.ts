// Reading XML: what the tree holds, and hostile documents, each refused at its place and in time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { readXml } from '../../../src/shared/xml/xml-reader.ts'
import { assertFault, bytesOf, quickestMs, valueOf } from '../contract-helpers.ts'

const read = (text: string) => readXml(bytesOf(text), undefined)

const instance = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'

void test('the tree holds local names, own text, nil and children in order', () => {
  const text = `<?xml version="1.0"?><!-- c --><?p i?>\n<n:a xmlns:n="urn:n" ${instance} x="1">t<b>1</b>u<n:c xsi:nil=" true "/><d/></n:a>\n`
  const root = valueOf(read(text))
  assert.equal(root.name, 'a')
  assert.equal(root.text, 'tu')
  assert.deepEqual(
    root.children.map(({ name, text, nil }) => ({ name, text, nil })),
    [
      { name: 'b', text: '1', nil: false },
      { name: 'c', text: '', nil: true },
      { name: 'd', text: '', nil: false },
    ],
  )
})

const texts: readonly (readonly [xml: string, text: string])[] = [
  ['a&lt;b&gt;&amp;&quot;&apos;', `a<b>&"'`],
  ['&#65;&#x42;&#x1F3D4;&#0000000067;', 'AB\u{1f3d4}C'],
  ['a<![CDATA[<b> &amp; ]] <!DOCTYPE x> & ]]>c', 'a<b> &amp; ]] <!DOCTYPE x> & c'],
  ['a<!-- & <!DOCTYPE x> -->b<?p & <!DOCTYPE?>c', 'abc'],
  ['a\r\nb\rc\nd&#13;&#13;&#10;e', 'a\nb\nc\nd\r\r\ne'],
  ['  \t ', '  \t '],
  ['\u{7f}\u{85}\u{2028}\u{fffd}\u{10ffff}', '\u{7f}\u{85}\u{2028}\u{fffd}\u{10ffff}'],
]

for (const [xml, text] of texts) {
  void test(`XML text ${JSON.stringify(xml)}`, () => assert.equal(valueOf(read(`<a>${xml}</a>`)).text, text))
}

void test('nil is true only with the right namespace, and only for true and 1', () => {
  const nilOf = (tag: string) => valueOf(read(tag)).nil
  assert.equal(nilOf(`<a ${instance} xsi:nil="1"/>`), true)
  assert.equal(nilOf('<a xmlns:q="http://www.w3.org/2001/XMLSchema-instance" q:nil="true"/>'), true)
  assert.equal(nilOf(`<a ${instance} xsi:nil="false"/>`), false)
  assert.equal(nilOf(`<a ${instance} xsi:nil="yes"/>`), false)
  assert.equal(nilOf('<a xmlns:xsi="urn:other" xsi:nil="true"/>'), false)
  assert.equal(nilOf('<a nil="true"/>'), false)
})

void test('a prefix has the meaning of its innermost declaration, which ends with its element', () => {
  const inner = `<a ${instance}><b xmlns:xsi="urn:other" xsi:nil="1"/><c xsi:nil="1"/></a>`
  assert.deepEqual(
    valueOf(read(inner)).children.map(({ nil }) => nil),
    [false, true],
  )
  assertFault(read('<a><b xmlns:p="urn:p"/><p:c/></a>'), 'malformed-body', /^The prefix p is not declared/)
})

const refused: readonly (readonly [xml: string, detail: string | RegExp])[] = [
  ['', /^Not XML: document must contain a root element \(line 1, column 1\)\.$/],
  [' \n', /^Not XML: document must contain a root element/],
  ['{"title":"a"}', /^Not XML: text data outside of root node/],
  ['<a>', /^Not XML: unclosed tag: a/],
  ['<a></b>', /^Not XML: unexpected close tag/],
  ['</a>', /^Not XML: unmatched closing tag: a/],
  ['<a/><b/>', /^Not XML: documents may contain only one root/],
  ['<a/>text', /^Not XML: text data outside of root node/],
  ['text<a/>', /^Not XML: text data outside of root node/],
  ['<a/><![CDATA[]]>', /^Not XML: text data outside of root node/],
  ['\u{feff}\u{feff}<a/>', 'The body has a second byte-order mark (line 1, column 1).'],
  [' <?xml version="1.0"?><a/>', /^Not XML: an XML declaration must be at the start of the document/],
  ['<?xml encoding="UTF-8"?><a/>', /^Not XML: /],
  ['<a>\n &foo;</a>', /^Not XML: undefined entity \(line 2, column 6\)\.$/],
  ['<a>&nbsp;</a>', /^Not XML: undefined entity/],
  ['<a>&__proto__;&constructor;</a>', /^Not XML: undefined entity/],
  ['<a>\n<b>Salt & Pepper</b></a>', 'An & that begins no reference is written &amp; (line 2, column 9).'],
  ['<a b="x&y"/>', 'An & that begins no reference is written &amp; (line 1, column 8).'],
  ['<a>&#0;</a>', /^Not XML: malformed character entity/],
  ['<a>&#x1;</a>', /^Not XML: malformed character entity/],
  ['<a>&#xD83C;&#xDFD4;</a>', /^Not XML: malformed character entity/],
  ['<a>&#xFFFE;</a>', /^Not XML: malformed character entity/],
  ['<a>&#x110000;</a>', /^Not XML: malformed character entity/],
  ['<a>&#xFFFFFFFFFFFFFFFFFFFF;</a>', /^Not XML: malformed character entity/],
  ['<a>\u{0}</a>', /^Not XML: disallowed character \(line 1, column 4\)\.$/],
  ['<a>\u{1f}</a>', /^Not XML: disallowed character/],
  ['<a><!-- \u{1} --></a>', /^Not XML: disallowed character/],
  ['<a b="\u{8}"/>', /^Not XML: disallowed character/],
  ['<a>\u{ffff}</a>', /^Not XML: disallowed character/],
  ['<?xml version="1.1"?><a>&#1;</a>', /^Not XML: malformed character entity/],
  ['<a b="1" b="2"/>', /^Not XML: duplicate attribute: b/],
  ['<a xmlns:p="u" xmlns:q="u" p:b="1" q:b="2"/>', /^Duplicate attribute b/],
  ['<a b=1/>', /^Not XML: unquoted attribute value/],
  ['<a b/>', /^Not XML: /],
  ['<a b="<"/>', /^Not XML: disallowed character/],
  ['<a>]]></a>', /^Not XML: the string "\]\]>" is disallowed in char data/],
  ['<a><!-- -- --></a>', /^Not XML: malformed comment/],
  ['<p:a/>', 'The prefix p is not declared (line 1, column 6).'],
  ['<a p:b="1"/>', /^The prefix p is not declared/],
  ['<a xmlns:p=""/>', /^The prefix p is declared with an empty namespace/],
  ['<a xmlns:xml="urn:x"/>', /^The prefix xml is bound to its own namespace/],
  ['<a xmlns="http://www.w3.org/XML/1998/namespace"/>', /^The prefix xml is bound to its own namespace/],
  ['<a xmlns:xmlns="urn:x"/>', /^The prefix xmlns may not be declared/],
  ['<xmlns:a/>', /^No element may have the prefix xmlns/],
  ['<a:b:c xmlns:a="u"/>', /^a:b:c is not a valid qualified name/],
  ['<:a/>', /^:a is not a valid qualified name/],
  ['<a b:="1"/>', /^b: is not a valid qualified name/],
  ['<p:1 xmlns:p="u"/>', /^p:1 is not a valid qualified name/],
]

for (const [xml, detail] of refused) {
  void test(`XML ${JSON.stringify(xml)} is refused`, () => {
    assertFault(read(xml), 'malformed-body', detail)
    assertFault(read(xml), 'malformed-body', /\(line \d+, column \d+\)\.$/)
  })
}

const bomb = Array.from({ length: 10 }, (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`)
const doctypes: readonly string[] = [
  '<!DOCTYPE a><a/>',
  '<!doctype a><a/>',
  '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
  '<!DOCTYPE a SYSTEM "http://127.0.0.1:1/a.dtd"><a/>',
  '<!DOCTYPE a PUBLIC "p" "http://127.0.0.1:1/a.dtd"><a/>',
  '<!DOCTYPE a [<!ENTITY % p SYSTEM "http://127.0.0.1:1/"> %p;]><a/>',
  '<?xml version="1.0"?>\n<!-- <a> --><?p <b>?><!DOCTYPE a><a/>',
  `<!DOCTYPE a [<!ENTITY l0 "lol">${bomb.join('')}]><a>&l10;</a>`,
  `<!DOCTYPE a [<!ENTITY q "${'x'.repeat(30_000)}">]><a>${'&q;'.repeat(10_000)}</a>`,
  '<!DOCTYPE a',
  '<a/><!DOCTYPE a>',
  '<a><!DOCTYPE a></a>',
]

for (const xml of doctypes) {
  void test(`DOCTYPE is refused: ${xml.slice(0, 60)}`, () => {
    assertFault(read(xml), 'malformed-body', /^DOCTYPE is not allowed \(line \d+, column \d+\)\.$/)
  })
}

void test('64 levels are read, 65 are refused where the 65th opens', () => {
  const nested = (depth: number) => `${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`
  assert.ok(read(nested(64)).ok)
  assertFault(read(nested(65)), 'malformed-body', 'Nesting is deeper than 64 (line 1, column 195).')
  assertFault(read('<a>'.repeat(100_000)), 'malformed-body', /^Nesting is deeper than 64/)
})

void test('3e4 attributes are skipped in linear time', () => {
  const attributes = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, index) => `${prefix}a${index}="1"`).join(' ')
  const tag = (count: number, prefix = '') => bytesOf(`<a xmlns:p="urn:p" ${attributes(count, prefix)}/>`)
  assert.ok(readXml(tag(30_000), undefined).ok)
  assert.ok(readXml(tag(30_000, 'p:'), undefined).ok)
  const [few, many] = [tag(10_000, 'p:'), tag(40_000, 'p:')]
  const ratio =
    quickestMs(() => void readXml(many, undefined)) / quickestMs(() => void readXml(few, undefined))
  assert.ok(ratio < 20, `4 times the attributes took ${ratio} times as long`)
})

const size = 65_536
const fill = (chunk: string) => chunk.repeat(Math.floor(size / chunk.length))
const numbered = (chunk: (index: number) => string) =>
  Array.from({ length: 3000 }, (_, index) => chunk(index)).join('')
const longNamespace = 'u'.repeat(20_000)

const worst: Readonly<Record<string, string>> = {
  'numeric references': `<a>${fill('&#65;')}</a>`,
  'long numeric references': `<a>&#${fill('0')}65;</a>`,
  'named references': `<a>${fill('&lt;')}</a>`,
  'bare ampersands': `<a>${fill('&')}</a>`,
  'ampersands with names': `<a>${fill('&a')}</a>`,
  'ampersands in CDATA': `<a>${fill('<![CDATA[&]]>')}</a>`,
  'open tags': fill('<a>'),
  'empty elements': `<a>${fill('<b/>')}</a>`,
  'prefixed elements': `<p:a xmlns:p="u">${fill('<p:b/>')}</p:a>`,
  declarations: `<a>${numbered((index) => `<b xmlns:p${index}="u"/>`)}</a>`,
  'declarations in one tag': `<a ${numbered((index) => `xmlns:p${index}="u" `)}/>`,
  'attributes in a long namespace': `<a xmlns:p="${longNamespace}" ${numbered((index) => `p:a${index}="" `)}/>`,
  'deep prefixes': `${'<a xmlns:p="u">'.repeat(64)}${fill('<p:b/>')}${'</a>'.repeat(64)}`,
  'closing brackets in CDATA': `<a><![CDATA[${fill(']')}]]></a>`,
  'dashes in a comment': `<a><!--${fill('- ')}--></a>`,
  'comments never closed': `<a>${fill('<!--')}`,
  'CDATA never closed': `<a>${fill('<![CDATA[')}`,
  'instructions never closed': `<a>${fill('<?p ')}`,
  'question marks': `<a><?p ${fill('?')}?></a>`,
  'carriage returns': `<a>${fill('\r')}</a>`,
  'a long name': `<${fill('a')}/>`,
  'a long attribute value': `<a b="${fill('\t')}"/>`,
  'close tags': fill('</a>'),
  spaces: fill(' '),
  'many small texts': `<a>${fill('x<b/>')}</a>`,
  'declaration that never ends': `<?xml ${fill('version="1.0" ')}`,
}

void test('the worst case of 64 KiB is read or refused within 50 ms', () => {
  for (const [name, xml] of Object.entries(worst)) {
    const bytes = bytesOf(xml)
    const ms = quickestMs(() => void readXml(bytes, undefined))
    assert.ok(ms < 50, `${name} took ${ms} ms`)
  }
})

void test('any bytes give a result and never throw', () => {
  const marks =
    '< > / a p: = " \' & ; #x 1 <!-- --> <![CDATA[ ]]> <? ?> xml xmlns:p <a> </a> <a/> \u{0} \u{1f3d4}'
  const chunks = [...marks.split(' '), ' ']
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...chunks), { maxLength: 20 }), (parts) => {
      const reading = read(parts.join(''))
      if (!reading.ok) assert.match(reading.fault.detail, /\(line \d+, column \d+\)\.$/)
    }),
    { numRuns: 4_000 },
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      readXml(bytes, undefined)
    }),
    { numRuns: 1_000 },
  )
})
