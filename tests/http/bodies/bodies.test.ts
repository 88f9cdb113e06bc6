// Details as raw bytes: malformed and hostile bodies, encodings, and texts that must be preserved (contract C6, C8, C12).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { jpegPicture } from '../../helpers/pictures.ts'
import { assertProblem } from '../../helpers/problems.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { send } from '../../helpers/wire.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()
const imageId = await waymark.upload(ana, 4711, await jpegPicture({ width: 12, height: 9 }))
const bearer = { authorization: `Bearer ${ana.token}` }
const image = `/Trails/4711/Images/${imageId}`

const put = (type: string, body: Uint8Array | string) =>
  send(waymark.url, { method: 'PUT', path: image, headers: { ...bearer, 'content-type': type }, body })
const read = async (accept: string): Promise<string> =>
  (await send(waymark.url, { path: image, headers: { ...bearer, accept } })).text()
const titleNow = async (): Promise<unknown> =>
  (JSON.parse(await read('application/json')) as { title: unknown }).title

const root = (inner: string): string => `<TrailImageDetails>${inner}</TrailImageDetails>`
const nested = (open: string, close: string, depth: number, inner: string): string =>
  open.repeat(depth) + inner + close.repeat(depth)

/** Refused bodies, and the detail's content: always the position, and the fault if it is a plausible mistake. */
const malformedJson: Readonly<Record<string, readonly [body: Uint8Array | string, detail: RegExp]>> = {
  empty: ['', /line 1, column 1/],
  blank: [' \n ', /line 2, column 2/],
  'a word': ['title', /line 1, column 1/],
  unclosed: ['{"title":"x"', /line 1, column 13/],
  'two values': ['{} {}', /line 1, column 4/],
  'a trailing comma': ['{\n "title": "x",\n}', /line 3, column 1/],
  'a comment': ['{/* no */}', /line 1, column 2/],
  'single quotes': ["{'title':'x'}", /line 1, column 2/],
  NaN: ['{"lat":NaN}', /line 1, column 8/],
  'a bare line end': ['{"title":"a\nb"}', /U\+000A.+line 1, column 12/],
  'a bad escape': ['{"title":"\\x"}', /line 1, column 11/],
  'a NUL': ['{"title":"\\u0000"}', /U\+0000 is not allowed.+line 1, column 11/],
  'a backspace': ['{"title":"\\b"}', /U\+0008/],
  'half a surrogate pair': ['{"title":"\\ud83c"}', /surrogate/],
  'U+FFFF': ['{"title":"\uffff"}', /U\+FFFF/],
  'an array': ['[]', /single JSON object/],
  'a string': ['"title"', /single JSON object/],
  null: ['null', /single JSON object/],
  'depth 65': [`{"x":${nested('[', ']', 64, '')}}`, /deeper than 64/],
  'invalid UTF-8': [Buffer.from('{"title":"\xe9"}', 'latin1'), /UTF-8.+line 1, column 11/],
  'UTF-16': [Buffer.from('{"title":"x"}', 'utf16le'), /line 1, column 2/],
}

const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>${root('<title>&b;</title>')}`
const malformedXml: Readonly<Record<string, readonly [body: Uint8Array | string, detail: RegExp]>> = {
  empty: ['', /line 1, column 1/],
  text: ['title', /line 1/],
  unclosed: [root('<title>x'), /line 1/],
  crossed: ['<TrailImageDetails>\n<title>x</caption>\n</TrailImageDetails>', /line 2, column/],
  'a second root': [root('') + root(''), /line 1/],
  'text after the root': [`${root('')}x`, /line 1/],
  'another root': ['<Route/>', /root element must be TrailImageDetails/],
  'a list': [`<ArrayOfTrailImageDetails>${root('')}</ArrayOfTrailImageDetails>`, /root element/],
  DOCTYPE: [`<!DOCTYPE TrailImageDetails>${root('')}`, /DOCTYPE is not allowed.+line 1, column 1/],
  doctype: [`\n\n <!doctype x>${root('')}`, /DOCTYPE is not allowed.+line 3, column 2/],
  XXE: [
    `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${root('<title>&e;</title>')}`,
    /DOCTYPE is not allowed/,
  ],
  'a parameter entity': [
    '<!DOCTYPE x [<!ENTITY % e SYSTEM "http://127.0.0.1:1/">%e;]><x/>',
    /DOCTYPE is not/,
  ],
  'an entity bomb': [bomb, /DOCTYPE is not allowed/],
  'an undeclared entity': [root('<title>&nbsp;</title>'), /line 1/],
  'a bare ampersand': [root('<title>a & b</title>'), /& that begins no reference.+line 1, column 29/],
  'many bare ampersands': [root(`<title>${'& '.repeat(20_000)}</title>`), /& that begins no reference/],
  'a NUL': [root('<title>&#0;</title>'), /line 1/],
  'a backspace': [root('<title>&#8;</title>'), /line 1/],
  'U+FFFE': [root('<title>&#xfffe;</title>'), /line 1/],
  'a raw control': [root('<title>\u0001</title>'), /line 1/],
  'half a surrogate pair': [root('<title>&#xd800;</title>'), /line 1/],
  'an XML 1.1 control': [`<?xml version="1.1"?>${root('<title>&#1;</title>')}`, /line 1/],
  'depth 65': [root(nested('<x>', '</x>', 64, '')), /deeper than 64/],
  'an undeclared prefix': ['<p:TrailImageDetails/>', /prefix p is not declared/],
  'a field twice': [root('<title>a</title><title>b</title>'), /Duplicate element title/],
  'an attribute twice': ['<TrailImageDetails a="1" a="2"/>', /line 1/],
  'no quotes': ['<TrailImageDetails a=1/>', /line 1/],
  'a second declaration': [`<?xml version="1.0"?><?xml version="1.0"?>${root('')}`, /line 1/],
  'invalid UTF-8': [Buffer.from(root('<title>\xe9</title>'), 'latin1'), /UTF-8.+line 1, column 27/],
  'half a UTF-16 unit': [Buffer.from([0xff, 0xfe, 0x3c, 0x00, 0x78]), /UTF-16/],
}

void test('C6 C8: a malformed body is 400 and its detail names line and column', async () => {
  const before = [await read('application/json'), await read('application/xml')]
  const tables = { 'application/json': malformedJson, 'application/xml': malformedXml }
  for (const [type, table] of Object.entries(tables)) {
    for (const [name, [body, expected]] of Object.entries(table)) {
      const { detail } = await assertProblem(await put(type, body), 'malformed-body', name)
      assert.match(detail, expected, `${type}: ${name}`)
      if (!/object/.test(detail)) assert.match(detail, /\(line \d+, column \d+\)\.$/, `${type}: ${name}`)
      assert.ok(detail.length < 300, name)
      assert.doesNotMatch(detail, /root:|aaaaaaaaaa/)
    }
  }
  assert.deepEqual([await read('application/json'), await read('application/xml')], before)
})

void test('C6: bodies that are expensive for a careless parser are cheap here', async () => {
  const hostile: readonly (readonly [type: string, body: string])[] = [
    ['application/xml', root(`<title>${'&#65;'.repeat(12_000)}</title>`)],
    ['application/xml', `<TrailImageDetails ${numbered(5_000, 'a', '="1"')}/>`],
    ['application/xml', root('<x/>'.repeat(15_000))],
    ['application/xml', '<x>'.repeat(20_000)],
    ['application/xml', root('<!--'.repeat(15_000))],
    ['application/xml', root('<![CDATA['.repeat(7_000))],
    ['application/json', '['.repeat(65_000)],
    ['application/json', `{${numbered(6_000, '"k', '":0,')}"title":"x"}`],
    ['application/json', `{"title":"${'\\u0041'.repeat(10_000)}"}`],
    ['application/json', `{"lat":"${'9'.repeat(60_000)}"}`],
    ['application/json', `{"lat":1${'0'.repeat(60_000)}}`],
  ]
  for (const [type, body] of hostile) {
    const begun = process.threadCpuUsage()
    const answer = await put(type, body)
    assert.ok(answer.status === 200 || answer.status === 400, `${body.slice(0, 40)} → ${answer.status}`)
    await answer.arrayBuffer()
    const { user, system } = process.threadCpuUsage(begun)
    assert.ok(user + system < 1_500_000, `${body.slice(0, 40)} took too long`)
  }
})

function numbered(count: number, before: string, after: string): string {
  return Array.from({ length: count }, (_, index) => `${before}${index}${after} `).join('')
}

void test('C8: XML with any namespace, order, encoding and formatting is read by its local names', async () => {
  const declared = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?>`
  const utf16 = (text: string, isBig = false) => {
    const little = Buffer.from(text, 'utf16le')
    return isBig ? little.swap16() : little
  }
  const contract = 'http://schemas.datacontract.org/2004/07/Trails'
  const document = (title: string) => root(`<title>${title}</title>`)
  const cases: Readonly<Record<string, readonly [type: string, body: Uint8Array | string]>> = {
    plain: ['text/xml', document('plain')],
    'with a declaration': ['application/xml', declared('utf-8') + document('with a declaration')],
    'with a mark': ['application/xml', `\ufeff${document('with a mark')}`],
    'with a default namespace': [
      'application/xml',
      `<TrailImageDetails xmlns="${contract}" xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><caption i:nil="true"/><title>with a default namespace</title></TrailImageDetails>`,
    ],
    'with prefixes': [
      'application/xml',
      '<t:TrailImageDetails xmlns:t="urn:t"><u:title xmlns:u="urn:u">with prefixes</u:title></t:TrailImageDetails>',
    ],
    'with comments': [
      'application/xml',
      `<!-- a --><?p x?>${root('<!-- b --><title>with <!-- c -->comments</title>')}<!-- d -->`,
    ],
    'with <CDATA>': ['application/xml', document('<![CDATA[with <CDATA>]]>')],
    'in any order': ['application/xml', root('<lon>7</lon><title>in any order</title><lat>46</lat>')],
    'with unknown fields': ['application/xml', root('<a><b>x</b></a><title>with unknown fields</title><a/>')],
    'at depth 64': ['application/xml', root(`<title>at depth 64</title>${nested('<x>', '</x>', 63, '')}`)],
    'UTF-16 with a mark Ж': ['application/xml', utf16(`\ufeff${document('UTF-16 with a mark Ж')}`)],
    'UTF-16 BE with a mark': ['application/xml', utf16(`\ufeff${document('UTF-16 BE with a mark')}`, true)],
    'UTF-16 without a mark': ['application/xml', utf16(document('UTF-16 without a mark'))],
    'UTF-16 by charset 🏔': ['application/xml; charset=utf-16le', utf16(document('UTF-16 by charset 🏔'))],
    'UTF-16 by declaration': [
      'text/xml',
      utf16(`\ufeff${declared('UTF-16')}${document('UTF-16 by declaration')}`),
    ],
    'charset over declaration é': [
      'application/xml; charset=UTF-8',
      declared('utf-16') + document('charset over declaration é'),
    ],
  }
  for (const [title, [type, body]] of Object.entries(cases)) {
    const answer = await put(type, body)
    assert.equal(answer.status, 200, `${title}: ${await answer.text()}`)
    assert.equal(await titleNow(), title)
  }
})

void test('C7 C8 C12: a text that both formats can carry comes back from both unchanged', async () => {
  const texts = [
    'a/b//c',
    '<i>1 & 2</i> ]]> "q" \'s\' \\',
    'tab\tlf\ncr\rcrlf\r\nend',
    '🏔️ é Ж \u2028 \u00a0 \ufffd \u0085',
    '  two spaces around  ',
    '\n',
    '__proto__',
    '{{title}} ${title} %s',
  ]
  for (const text of texts) {
    assert.equal((await put('application/json', JSON.stringify({ title: text }))).status, 200, text)
    assert.equal(await titleNow(), text)
    const xml = await read('application/xml')
    const fromXml = await put('application/xml', xml)
    assert.equal(fromXml.status, 200, `${xml} ${await fromXml.text()}`)
    assert.equal(await titleNow(), text, `through XML: ${xml}`)
    assert.equal(await read('application/xml'), xml)
  }
})

void test('C12: an empty text is a single space on the wire, and GET then PUT changes nothing, however often', async () => {
  for (const blank of ['', ' ']) {
    assert.equal((await put('application/json', JSON.stringify({ title: blank, caption: 'c' }))).status, 200)
    assert.equal(await titleNow(), ' ')
    assert.ok((await read('application/xml')).includes('<title xml:space="preserve"> </title>'))
    const { db } = waymark.installation.database
    assert.equal((await db.selectFrom('image').select('title').executeTakeFirstOrThrow()).title, '')
    for (const type of ['application/json', 'application/xml', 'application/json']) {
      const before = await read(type)
      assert.equal((await put(type, before)).status, 200)
      assert.equal(await read(type), before)
    }
  }
})

void test('C20: names of Object.prototype are names like any other', async () => {
  const body =
    '{"__proto__":{"title":"p"},"constructor":{"prototype":{"title":"c"}},"toString":"x","title":"t"}'
  assert.equal((await put('application/json', body)).status, 200)
  assert.equal(await titleNow(), 't')
  assert.equal(({} as Record<string, unknown>)['title'], undefined)
})
