// Texts at the review desk: word by word differences, files that no spreadsheet runs, and distances from a line.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvCell, csvOf, historyCsv, historyJson } from '../../web/pages/review/panel/history-file.ts'
import { metresToLines } from '../../web/pages/review/panel/line-distance.ts'
import { partsOf } from '../../web/map/trail-lines.ts'
import { diffWords } from '../../web/pages/review/panel/word-diff.ts'

const shown = (before: string, after: string): string =>
  diffWords(before, after)
    .map(({ kind, text }) => (kind === 'same' ? text : kind === 'gone' ? `[-${text}-]` : `{+${text}+}`))
    .join('')

void test('differences are shown by word', () => {
  assert.equal(shown('At the bridge', 'At the old bridge'), 'At the {+old +}bridge')
  assert.equal(shown('At the bridge', 'BUY NOW'), '[-At the bridge-]{+BUY NOW+}')
  assert.equal(shown('', 'New'), '{+New+}')
  assert.equal(shown('Same.', 'Same!'), 'Same[-.-]{+!+}')
  assert.equal(shown('Žleb in März', 'Žleb im März'), 'Žleb [-in-]{+im+} März')
  assert.equal(shown('', ''), '')
})

void test('the pieces always add up to both texts', () => {
  const texts = ['', 'a', 'a b c', 'c b a', '  a  b', 'a—b', '👩‍🌾 field', 'one two three four', 'four two one']
  for (const before of texts) {
    for (const after of texts) {
      const chunks = diffWords(before, after)
      const all = (left: 'gone' | 'new'): string =>
        chunks.flatMap(({ kind, text }) => (kind === left ? [] : [text])).join('')
      assert.equal(all('new'), before)
      assert.equal(all('gone'), after)
    }
  }
})

void test('two texts of maximum length are compared quickly', () => {
  const before = process.threadCpuUsage()
  diffWords('ab '.repeat(85), 'ba '.repeat(85))
  const { user } = process.threadCpuUsage(before)
  assert.ok(user < 2_000_000, `${user} µs of processor time`)
})

void test('no CSV cell is a formula, and quotes, commas and line breaks are kept (trust 38)', () => {
  for (const begin of ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) {
    const cell = csvCell(`${begin}cmd|' /C calc'!A0`)
    assert.match(cell, /^"?'/, JSON.stringify(begin))
  }
  assert.equal(csvCell('plain'), 'plain')
  assert.equal(csvCell('a "b", c'), '"a ""b"", c"')
  assert.equal(csvCell('two\nlines'), '"two\nlines"')
  assert.equal(csvCell(-3), '-3')
  assert.equal(csvCell(null), '')
  assert.equal(
    csvOf([
      ['a', 1],
      ['=b', null],
    ]),
    "a,1\r\n'=b,\r\n",
  )
})

void test('a history is exported with every field of every entry', () => {
  const entry = {
    position: 7,
    at: '2026-05-14T09:08:07.000Z',
    actor: { acctID: 5, displayName: '@rob' },
    from: 'pending',
    to: 'rejected',
    reason: 'blurred',
    reasonLabel: 'Blurred, too dark',
    note: '=1+1',
  } as const
  const upload = {
    ...entry,
    position: 1,
    from: null,
    to: 'pending',
    reason: null,
    reasonLabel: null,
  } as const
  assert.equal(
    historyCsv(81, [{ ...upload, actor: null, note: null }, entry]),
    'imageID,position,at,acctID,displayName,from,to,reason,reasonLabel,note\r\n' +
      '81,1,2026-05-14T09:08:07.000Z,,,,pending,,,\r\n' +
      `81,7,2026-05-14T09:08:07.000Z,5,'@rob,pending,rejected,blurred,"Blurred, too dark",'=1+1\r\n`,
  )
  assert.deepEqual(JSON.parse(historyJson(81, [entry])), { imageID: 81, items: [entry] })
})

void test('the distance to a line is that to its nearest segment, in any of its parts, and across the antimeridian', () => {
  const lines = partsOf({
    type: 'MultiLineString',
    coordinates: [
      [
        [8, 47],
        [8.01, 47],
      ],
      [
        [9, 47],
        [9, 48],
      ],
    ],
  })
  const metres = metresToLines({ lat: 47.001, lon: 8.005 }, lines) ?? 0
  assert.ok(Math.abs(metres - 111.3) < 2, String(metres))
  const beyond = metresToLines({ lat: 47, lon: 8.02 }, lines) ?? 0
  assert.ok(Math.abs(beyond - 759) < 8, String(beyond))
  const far = metresToLines({ lat: 0, lon: 179.999 }, [[[-179.999, 0] as const, [-179, 0] as const]]) ?? 0
  assert.ok(Math.abs(far - 222.6) < 3, String(far))
  assert.equal(metresToLines({ lat: 0, lon: 0 }, partsOf(null)), undefined)
  assert.deepEqual(partsOf({ type: 'LineString', coordinates: [[1, 2]] }), [[[1, 2]]])
})
