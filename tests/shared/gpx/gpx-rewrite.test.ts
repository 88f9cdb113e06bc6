// A stored document written again: whatever names, namespaces and values it has, what comes out is well-formed, and soon.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SaxesParser } from 'saxes'
import { readGpxText } from '../../../src/shared/gpx/gpx.ts'
import { rewritingGpx } from '../../../src/shared/gpx/rewrite/gpx-rewrite.ts'
import { atOnce } from '../../../src/shared/yielding.ts'

const root = (attributes: string, content: string): string =>
  `<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1"${attributes}>${content}</gpx>`
const inExtensions = (content: string, attributes = ''): string =>
  root(attributes, `<extensions>${content}</extensions>`)

function rewritten(text: string): string {
  assert.ok(readGpxText(text).ok, 'it is stored')
  return atOnce(rewritingGpx(text, { name: '', description: '', creator: 'Waymark' })).chunks.join('')
}

/** By a parser that knows namespaces and takes no fault. */
function requireWellFormed(text: string): void {
  const parser = new SaxesParser({ xmlns: true })
  parser.on('error', (error) => {
    throw error
  })
  parser.write(text).close()
}

const strange: Readonly<Record<string, string>> = {
  'a prefix that stands for nothing': inExtensions('<x:a xmlns:x="" x:b="1"/>'),
  'an attribute of such a prefix': inExtensions('<q xmlns:x="" x:b="1"/>'),
  'the prefix xmlns': inExtensions('<xmlns:a/>'),
  'the namespace of XML': inExtensions('<q:a xmlns:q="http://www.w3.org/XML/1998/namespace"/>'),
  'the namespace of declarations': inExtensions('<q:a xmlns:q="http://www.w3.org/2000/xmlns/"/>'),
  'that as the default': inExtensions('<a xmlns="http://www.w3.org/2000/xmlns/"/>'),
  'two colons': inExtensions('<a:b:c d:e:f="1"/>'),
  'nothing behind a colon': inExtensions('<a:/>'),
  'nothing before a colon': inExtensions('<:a/>'),
  'a number behind a colon': inExtensions('<a:1/>'),
  'a colon before a prefix that is declared': inExtensions('<a:b xmlns:a="urn:a" :a:c="1" a:c="2"/>'),
  'a colon before the prefix xml': inExtensions('<a xml:lang="en" :xml:lang="de"/>'),
  'a colon before xmlns': inExtensions('<a :xmlns="urn:a"/>'),
  'a declaration of two colons': inExtensions('<a/>', ' xmlns:a:b="urn:a"'),
  'a declaration of no prefix': inExtensions('<a/>', ' xmlns:="urn:a"'),
  'xmlns declared': inExtensions('<a/>', ' xmlns:xmlns="urn:a"'),
  'one attribute by two prefixes': inExtensions('<a xmlns:p="urn:a" xmlns:q="urn:a" p:x="1" q:x="2"/>'),
}

for (const [name, text] of Object.entries(strange))
  test(`names: ${name}`, () => requireWellFormed(rewritten(text)))

test('redeclared prefixes keep their meaning', () => {
  const text = inExtensions(
    '<x:a xmlns:x="urn:1"><x:b xmlns:x="urn:2"/><x:c/></x:a><x:d/>',
    ' xmlns:x="urn:0"',
  )
  const found: string[] = []
  const parser = new SaxesParser({ xmlns: true })
  parser.on('opentag', ({ uri, local }) => void found.push(`${uri} ${local}`))
  parser.write(rewritten(text)).close()
  assert.deepEqual(found.slice(2), ['urn:1 a', 'urn:2 b', 'urn:1 c', 'urn:0 d'])
})

test('the root does not declare prefixes with invalid names, which xmllint refuses', () =>
  assert.doesNotMatch(rewritten(inExtensions('<a/>', ' xmlns:-a="urn:a" xmlns:1="urn:b"')), /urn:[ab]"/))

test('schema location hints are left out, whatever their prefix', () => {
  const text = inExtensions(
    '<q:a xmlns:q="urn:a" xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:schemaLocation="urn:a http://x.example/a.xsd"/>',
  )
  assert.ok(!rewritten(text).includes('x.example'))
})

test('the email of GPX 1.0 is copied unchanged, before the author’s link', () => {
  const of10 = `<gpx version="1.0" creator="x" xmlns="http://www.topografix.com/GPX/1/0"><author>Ana</author><email>a$\`b@c$'d.example</email></gpx>`
  assert.match(rewritten(of10), /<name>Ana<\/name><email id="a\$`b" domain="c\$'d\.example"\/><\/author>/)
  const mixed = root(
    '',
    '<metadata><author><name>Ana</name><link href="http://a.example/"/></author></metadata><email>a@b.example</email>',
  )
  assert.match(rewritten(mixed), /<\/name><email id="a" domain="b.example"\/><link /)
})

test('a time in the year 0, which the schema does not allow, is written in UTC', () => {
  const text = root('', '<wpt lat="1" lon="2"><time>0000-12-31T23:30:00-02:00</time></wpt>')
  assert.match(rewritten(text), /<time>0001-01-01T01:30:00\.000Z<\/time>/)
})

test('a time in a zone of 90 minutes, which the schema does not allow, is written in UTC', () => {
  const text = root('', '<wpt lat="1" lon="2"><time>2026-01-01T00:00:00+00:90</time></wpt>')
  assert.match(rewritten(text), /<time>2025-12-31T22:30:00\.000Z<\/time>/)
})

test('nested prefixes take no extra time', () => {
  const attributes = (level: string): string =>
    Array.from({ length: 250 }, (_, index) => ` ${level}p${index}:x=""`).join('')
  const levels = Array.from({ length: 55 }, (_, level) => `<q${attributes(`l${level}`)}>`).join('')
  const inside = `<q${attributes('s')}/>`.repeat(150)
  const text = inExtensions(levels + inside + '</q>'.repeat(55))
  const begun = performance.now()
  requireWellFormed(rewritten(text))
  const seconds = (performance.now() - begun) / 1_000
  assert.ok(seconds < 10, `${Math.round(text.length / 1_024)} KiB took ${seconds.toFixed(1)} s`) // 40 s where each copied all prefixes
})
