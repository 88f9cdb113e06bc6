// Lists of other servers in any spelling and with any chunk boundaries, and lists too long for memory.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { createJsonItems } from '../../cli/pull/json-items.ts'
import { readListFile, type ListedFields, type ListForm } from '../../cli/pull/list-file.ts'
import { readTimestamp } from '../../cli/pull/listed-values.ts'
import { createXmlItems } from '../../cli/pull/xml-items.ts'
import { newFolder } from '../helpers/folders.ts'

const form: ListForm = { root: 'TrailImageDetails', contentType: '' }

async function read(t: TestContext, content: string | Uint8Array, contentType = ''): Promise<ListedFields[]> {
  const file = path.join(await newFolder(t), 'list')
  await writeFile(file, content)
  return Array.fromAsync(readListFile(file, { ...form, contentType }))
}

const plain = (items: readonly ListedFields[]) => items.map((said) => Object.fromEntries(said))

void test('JSON: numbers keep their digits, null is absent, and nothing within a string is mistaken for structure', async (t) => {
  const text = String.raw`﻿ [ {"imageID":9007199254740993,"lat":-0.10,"caption":"a \"]},{[\\","title":null,"x":{"y":[1,{}]}} ,
    {"imageID":2,"detailUrl":"a\/b"}]${'\n'}`
  assert.deepEqual(plain(await read(t, text)), [
    { imageID: '9007199254740993', lat: '-0.10', caption: String.raw`a "]},{[\ `.trim() },
    { imageID: '2', detailUrl: 'a/b' },
  ])
  assert.deepEqual(await read(t, '[]', 'application/json'), [])
})

const xml = `<?xml version="1.0"?><!-- a > b --><n:ArrayOfTrailImageDetails xmlns:n="urn:x" note="a>b">
  <n:TrailImageDetails><n:imageID>1</n:imageID><n:title xml:space="preserve"> </n:title><n:caption><![CDATA[a </n:x> & b]]> &amp; c</n:caption></n:TrailImageDetails>
  <n:TrailImageDetails a='>'><n:imageID>2</n:imageID><n:email i:nil="true" xmlns:i="http://www.w3.org/2001/XMLSchema-instance"/></n:TrailImageDetails>
</n:ArrayOfTrailImageDetails>`
const said = [{ imageID: '1', title: ' ', caption: 'a </n:x> & b & c' }, { imageID: '2' }]

void test('XML: prefixes, comments, CDATA, nil, attributes with a >, and UTF-16', async (t) => {
  assert.deepEqual(plain(await read(t, xml)), said)
  assert.deepEqual(plain(await read(t, Buffer.from(`﻿${xml}`, 'utf16le'))), said)
  assert.deepEqual(await read(t, '<ArrayOfTrailImageDetails/>', 'text/xml; charset=utf-8'), [])
})

void test('wherever a list is split into chunks, its items are the same', () => {
  const json = '[{"a":"x\\"}{","b":[{"c":"]"}]},{"a":"\\\\"}]'
  for (const [text, create] of [
    [json, createJsonItems],
    [xml, () => createXmlItems('ArrayOfTrailImageDetails')],
  ] as const) {
    const whole = create()
    const items = [...whole.take(text)]
    whole.end()
    assert.equal(items.length, 2)
    for (let size = 1; size < 40; size += 1) {
      const cut = create()
      const found: string[] = []
      for (let from = 0; from < text.length; from += size)
        found.push(...cut.take(text.slice(from, from + size)))
      cut.end()
      assert.deepEqual(found, items, `pieces of ${size}`)
    }
    for (let length = 0; length < text.length; length += 1) {
      assert.throws(
        () => {
          const cut = create()
          for (const _ of cut.take(text.slice(0, length)));
          cut.end()
        },
        /./,
        `cut at ${length}`,
      )
    }
  }
})

const broken: readonly [string, RegExp][] = [
  ['', /ends in the middle/],
  ['<html><body>Sign in</body></html>', /is not an ArrayOfTrailImageDetails/],
  ['{"error":"x"}', /not a JSON array/],
  ['[1]', /not a JSON array of objects/],
  ['[{"a":1}', /ends in the middle/],
  ['[{"a":1}{"a":2}]', /not a JSON array/],
  ['[{"a":1}] x', /not a JSON array/],
  ['[{"a":tru}]', /is not JSON/],
  ['<!DOCTYPE x [<!ENTITY a "b">]><ArrayOfTrailImageDetails/>', /DOCTYPE/],
  [
    '<ArrayOfTrailImageDetails><TrailImageDetails>&a;</TrailImageDetails></ArrayOfTrailImageDetails>',
    /is not XML/,
  ],
  ['<ArrayOfTrailImageDetails></ArrayOfTrailImageDetails><x/>', /goes on after its end/],
]
void test(
  'a tag that never ends, whatever it contains, is refused at once',
  { timeout: 20_000 },
  async (t) => {
    const start = '<ArrayOfTrailImageDetails a="'
    for (const text of ['>'.repeat(400_000), "'>".repeat(300_000), `" ${`b='>' `.repeat(100_000)}`])
      await assert.rejects(read(t, start + text), /has a tag of more than 64 kB/)
    await assert.rejects(read(t, `${start}>`), /ends in the middle/)
  },
)

void test('something that is not a list is reported as such', async (t) => {
  for (const [text, how] of broken) await assert.rejects(read(t, text), how, text)
  await assert.rejects(read(t, Uint8Array.of(0x5b, 0x22, 0xff)), /UTF-8/)
})

void test('dates in the formats in use; an invalid date is none', () => {
  const second = { at: Date.UTC(2019, 4, 6, 7, 8, 9), unitMs: 1_000 }
  for (const text of [
    '2019-05-06 07:08:09Z',
    '2019-05-06T07:08:09',
    '2019-05-06T07:08:09.123Z',
    '2019-05-06T09:08:09+02:00',
  ])
    assert.deepEqual(readTimestamp(text), second, text)
  const day = { at: Date.UTC(2019, 4, 6), unitMs: 86_400_000 }
  for (const text of ['05/06/19', '05/06/2019']) assert.deepEqual(readTimestamp(text), day, text)
  assert.equal(readTimestamp('12/31/99')?.at, Date.UTC(1999, 11, 31))
  for (const text of [
    '',
    '02/30/19',
    '13/01/19',
    '2019-02-30T00:00:00',
    '2019-02-30T00:00:00.5Z',
    '9999-12-31T23:59:59-12:00',
    '0000-01-01T00:00:00+01:00',
    'yesterday',
  ])
    assert.equal(readTimestamp(text), undefined, text)
})
