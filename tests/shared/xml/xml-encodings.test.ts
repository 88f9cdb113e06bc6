// The encodings of an XML body: UTF-8 and UTF-16 however they are announced, nothing else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readXml } from '../../../src/shared/xml/xml-reader.ts'
import { assertFault, bytesOf, joined, utf16, valueOf } from '../contract-helpers.ts'

const markUtf8 = [0xef, 0xbb, 0xbf]
const markLittle = [0xff, 0xfe]
const markBig = [0xfe, 0xff]

const plain = '<a>é\u{1f3d4}Ж</a>'
const declared = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?>${plain}`

const taken: readonly (readonly [name: string, bytes: Uint8Array, charset: string | undefined])[] = [
  ['UTF-8, nothing said', bytesOf(plain), undefined],
  ['UTF-8, an empty charset', bytesOf(plain), ''],
  ['UTF-8 by charset', bytesOf(plain), 'UTF-8'],
  ['UTF-8 by its other name', bytesOf(plain), 'utf8'],
  ['UTF-8 by mark', joined(markUtf8, bytesOf(plain)), undefined],
  ['UTF-8 by mark and charset', joined(markUtf8, bytesOf(plain)), 'utf-8'],
  ['UTF-8 by declaration', bytesOf(declared('utf-8')), undefined],
  ['UTF-8 by charset, the declaration says UTF-16', bytesOf(declared('utf-16')), 'utf-8'],
  [
    'UTF-8 by mark, the declaration says Shift_JIS',
    joined(markUtf8, bytesOf(declared('Shift_JIS'))),
    undefined,
  ],
  ['UTF-8 by charset, the declaration says ISO-8859-1', bytesOf(declared('ISO-8859-1')), 'utf-8'],
  ['UTF-16 little-endian by mark', joined(markLittle, utf16(plain, 'little')), undefined],
  ['UTF-16 big-endian by mark', joined(markBig, utf16(plain, 'big')), undefined],
  ['UTF-16 little-endian by its declaration', utf16(declared('UTF-16'), 'little'), undefined],
  ['UTF-16 big-endian by its declaration', utf16(declared('UTF-16'), 'big'), undefined],
  ['UTF-16 little-endian by charset and mark', joined(markLittle, utf16(plain, 'little')), 'utf-16'],
  ['UTF-16 big-endian by charset and mark', joined(markBig, utf16(plain, 'big')), 'UTF-16'],
  ['UTF-16 little-endian by charset and first bytes', utf16(plain, 'little'), 'utf-16'],
  ['UTF-16 without any other sign is big-endian', utf16(`\n${plain}`, 'big'), 'utf-16'],
  ['UTF-16LE by charset', utf16(plain, 'little'), 'utf-16le'],
  ['UTF-16LE by charset, marked', joined(markLittle, utf16(plain, 'little')), 'UTF-16LE'],
  ['UTF-16BE by charset', utf16(plain, 'big'), 'utf-16be'],
]

for (const [name, bytes, charset] of taken) {
  void test(`XML in ${name} is read`, () => {
    assert.equal(valueOf(readXml(bytes, charset)).text, 'é\u{1f3d4}Ж')
  })
}

void test('an encoding other than UTF-8 or UTF-16 is unsupported, wherever it is declared', () => {
  for (const name of [
    'Shift_JIS',
    'ISO-8859-1',
    'windows-1252',
    'US-ASCII',
    'UTF-32',
    'UTF-7',
    'x-user-defined',
  ]) {
    const byDeclaration = 'XML must be UTF-8 or UTF-16, but the XML declaration has another encoding.'
    assertFault(readXml(bytesOf(declared(name)), undefined), 'unsupported-media-type', byDeclaration)
    const single = bytesOf(declared(name).replaceAll('"', "'"))
    assertFault(readXml(single, undefined), 'unsupported-media-type', byDeclaration)
    const byCharset = 'XML must be UTF-8 or UTF-16, but the Content-Type has another charset.'
    assertFault(readXml(bytesOf(plain), name), 'unsupported-media-type', byCharset)
  }
})

void test('bytes that are invalid in their encoding are malformed', () => {
  const latin1 = joined(bytesOf('<a>\nab'), [0xe9], bytesOf('</a>'))
  assertFault(
    readXml(latin1, undefined),
    'malformed-body',
    'The bytes are not valid UTF-8 (line 2, column 3).',
  )
  const loneSurrogate = utf16('<a>\u{fffd}\u{d83c}</a>', 'little')
  assertFault(
    readXml(loneSurrogate, 'utf-16le'),
    'malformed-body',
    'The bytes are not valid UTF-16LE (line 1, column 5).',
  )
  const oddByte = joined(markBig, utf16('<a/>', 'big'), [0x00])
  assertFault(
    readXml(oddByte, undefined),
    'malformed-body',
    'The bytes are not valid UTF-16BE (line 1, column 5).',
  )
  const marked = joined(markBig, utf16('<a/>', 'big'))
  assertFault(readXml(marked, 'utf-16le'), 'malformed-body', /line 1, column 1/)
  assertFault(readXml(marked, 'utf-8'), 'malformed-body', 'The bytes are not valid UTF-8 (line 1, column 1).')
  assertFault(
    readXml(bytesOf(declared('UTF-16')), undefined),
    'malformed-body',
    /says UTF-16, but the bytes are not/,
  )
  const utf32 = joined([0xff, 0xfe, 0, 0], [0x3c, 0, 0, 0])
  assertFault(readXml(utf32, undefined), 'malformed-body', /line 1, column 1/)
})
