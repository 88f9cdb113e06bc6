// Texts of a route: empty and long ones, and every valid or invalid character (contract C6, C8, C12, C13).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertProblem } from '../helpers/problems.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { createRouteClient, forms, xmlForm } from './route-client.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const ana = await waymark.addPerson()
const client = createRouteClient(waymark, ana)
const { set, item, write, read, make, change, ids, xmlOf } = client

const refused = async (
  answer: Promise<Response>,
  code: 'malformed-body' | 'invalid-field',
  detail: RegExp,
  message: string,
): Promise<void> =>
  assert.match((await assertProblem(await answer, code, message)).detail ?? '', detail, message)

void test('C12: a single space stands for the empty text both ways, and GET and PUT never make it grow', async () => {
  for (const form of forms) {
    for (const blank of ['', ' ']) {
      const id = await make({ name: blank, description: blank, gpx: '' }, form)
      const { text, route } = await read(id)
      assert.deepEqual([route.name, route.description, route.gpx], [' ', ' ', ''])
      for (let round = 0; round < 2; round += 1) await change(id, (await read(id)).text)
      assert.equal((await read(id)).text, text)
      const xml = await xmlOf(id)
      for (let round = 0; round < 2; round += 1) await change(id, await xmlOf(id), xmlForm)
      assert.equal(await xmlOf(id), xml)
      assert.match(xml, /<description xml:space="preserve"> <\/description><gpx><\/gpx>/)
      const v2 = await waymark.fetch(`/v2/routes/${id}`, { token: ana.token })
      const stored = (await v2.json()) as { name: string; description: string }
      assert.deepEqual([stored.name, stored.description], ['', ''])
    }
    for (const text of ['  ', '   ', ' a ', '\n', '\t', '\u{a0}', '\u{3000}']) {
      const id = await make({ name: text, description: text }, form)
      const { route } = await read(id)
      assert.deepEqual([route.name, route.description], [text, text], JSON.stringify(text))
    }
  }
})

void test('C8: a text is stored and returned unchanged in either format', async () => {
  const texts = [
    'a/b\\c "d" \'e\'',
    'CR\rLF\nCRLF\r\nTAB\t',
    '<b>&amp; ]]> &#13;',
    '🏔 ÅÄÖ ﷽ e\u{301}',
    '\u{2028}\u{2029}\u{85}\u{feff}',
    '__proto__',
  ]
  for (const form of forms) {
    for (const text of texts) {
      const id = await make({ name: text, description: text }, form)
      const { route } = await read(id)
      assert.deepEqual([route.name, route.description], [text, text])
      await change(id, await xmlOf(id), xmlForm)
      assert.equal((await read(id)).route.description, text)
    }
  }
})

void test('C13: lengths count code points: 1,000 in a name, 100,000 in a description; one more is refused', async () => {
  for (const form of forms) {
    for (const letter of ['é', '🏔']) {
      const whole = { name: letter.repeat(1_000), description: letter.repeat(100_000) }
      const id = await make(whole, form)
      const { route } = await read(id)
      assert.deepEqual([route.name === whole.name, route.description === whole.description], [true, true])
      for (const [field, max] of [
        ['name', 1_000],
        ['description', 100_000],
      ] as const) {
        const body = { [field]: letter.repeat(max + 1) }
        const sentence = new RegExp(
          `^${field} may have at most ${max} characters; this one has ${max + 1}\\.$`,
        )
        for (const answer of [
          write('POST', set, form.many(body), { type: form.type }),
          write('PUT', item(id), form.one(body), { type: form.type }),
        ]) {
          await refused(answer, 'invalid-field', sentence, `${form.name} ${field}`)
        }
      }
      assert.equal((await read(id)).route.name, whole.name)
    }
  }
})

void test('C6 C8: characters that XML cannot carry, DOCTYPE, entities and depth are refused with line and column', async () => {
  const deep = `${'<a>'.repeat(64)}${'</a>'.repeat(64)}`
  const bodies: readonly (readonly [type: string, body: string])[] = [
    ['application/json', '[{"name":"a\\u0001b"}]'],
    ['application/json', '[{"gpx":"\\ud800"}]'],
    ['application/json', '[{"other":"\\uffff"}]'],
    ['application/json', `[{"x":${'['.repeat(63)}${']'.repeat(63)}}]`],
    ['application/xml', '<Route><name>\u{1}</name></Route>'],
    ['application/xml', '<Route><name>&#1;</name></Route>'],
    ['application/xml', '<!DOCTYPE Route><Route/>'],
    [
      'application/xml',
      '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><Route><name>&b;</name></Route>',
    ],
    ['application/xml', '<!DOCTYPE r SYSTEM "file:///etc/passwd"><Route/>'],
    ['application/xml', '<Route><name>&nbsp;</name></Route>'],
    ['application/xml', '<Route><name>a</name><name>b</name></Route>'],
    ['application/xml', `<Route>${deep}</Route>`],
  ]
  const before = await ids()
  for (const [type, body] of bodies) {
    await refused(write('POST', set, body, { type }), 'malformed-body', /\(line 1, column \d+\)\.$/, body)
  }
  assert.deepEqual(await ids(), before)
})

void test('C8: XML is read by local names, in any order, in UTF-8 and UTF-16', async () => {
  const text =
    '<?xml version="1.0"?>\n<!-- x --><r:ArrayOfRoute xmlns:r="urn:x"><r:Route a="b"><r:routeID>5</r:routeID><r:name><![CDATA[a<b]]></r:name><r:length> 2.50 </r:length><r:gpx/></r:Route></r:ArrayOfRoute>'
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])
  for (const body of [text, Buffer.from(`\u{feff}${text}`), utf16]) {
    const answer = await write('POST', set, body, { type: 'text/xml' })
    const id = Number(await answer.text())
    assert.equal(answer.status, 201)
    const { route } = await read(id)
    assert.equal(route.name, 'a<b')
    assert.equal(await client.lengthOf(id), '2.50')
  }
})
