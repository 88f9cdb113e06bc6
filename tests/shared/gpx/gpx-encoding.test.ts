// The bytes of a gpx file to text: by its mark, by what it declares, else UTF-8; and never a guess at what is invalid.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeGpx } from '../../../src/shared/gpx/gpx-encoding.ts'
import { cpuMs } from '../contract-helpers.ts'

const little = (text: string): Buffer => Buffer.from(text, 'utf16le')
const big = (text: string): Buffer => little(text).swap16()
const latin = (text: string): Buffer => Buffer.from(text, 'latin1')
const marked = (mark: readonly number[], bytes: Buffer): Buffer => Buffer.concat([Buffer.from(mark), bytes])
const declaring = (encoding: string, rest = '<gpx>é</gpx>'): string =>
  `<?xml version="1.0" encoding="${encoding}"?>${rest}`

void describe('decodeGpx reads', () => {
  const text = declaring('UTF-8')
  const cases: readonly (readonly [what: string, bytes: Buffer, text: string])[] = [
    ['nothing', Buffer.alloc(0), ''],
    ['UTF-8 without a declaration', Buffer.from('<gpx>é🥾</gpx>'), '<gpx>é🥾</gpx>'],
    [
      'UTF-8 with its mark, which is no part of the text',
      marked([0xef, 0xbb, 0xbf], Buffer.from(text)),
      text,
    ],
    [
      'UTF-8 with its mark, whatever it declares',
      marked([0xef, 0xbb, 0xbf], Buffer.from(declaring('ISO-8859-1'))),
      declaring('ISO-8859-1'),
    ],
    ['UTF-16LE with its mark', marked([0xff, 0xfe], little(declaring('UTF-16'))), declaring('UTF-16')],
    ['UTF-16BE with its mark', marked([0xfe, 0xff], big(declaring('UTF-16'))), declaring('UTF-16')],
    ['UTF-16 with its mark, whatever it declares', marked([0xff, 0xfe], little(text)), text],
    ['UTF-8 that declares UTF-16', Buffer.from(declaring('utf-16')), declaring('utf-16')],
    ['UTF-8 that declares UTF-16LE', Buffer.from(declaring('UTF-16LE')), declaring('UTF-16LE')],
    ['ISO-8859-1', latin(declaring('ISO-8859-1')), declaring('ISO-8859-1')],
    [
      'iso-8859-2, in single quotes and with room',
      latin(`<?xml version='1.0'\tencoding = 'iso-8859-2' ?><gpx>\u00b3</gpx>`),
      `<?xml version='1.0'\tencoding = 'iso-8859-2' ?><gpx>ł</gpx>`,
    ],
    [
      'windows-1252',
      latin(declaring('windows-1252', '<gpx>\u0080</gpx>')),
      declaring('windows-1252', '<gpx>€</gpx>'),
    ],
    [
      'Shift_JIS',
      Buffer.concat([latin(declaring('Shift_JIS', '')), Buffer.from([0x8e, 0x52])]),
      declaring('Shift_JIS', '山'),
    ],
    [
      'UTF-8 where an encoding stands elsewhere than in the declaration',
      Buffer.from('<gpx encoding="ISO-8859-1">é</gpx>'),
      '<gpx encoding="ISO-8859-1">é</gpx>',
    ],
    [
      'UTF-8 where only the text after the declaration speaks of one',
      Buffer.from('<?xml version="1.0"?><gpx encoding="ISO-8859-1">é</gpx>'),
      '<?xml version="1.0"?><gpx encoding="ISO-8859-1">é</gpx>',
    ],
  ]
  for (const [what, bytes, expected] of cases) {
    void it(what, () => assert.deepEqual(decodeGpx(bytes), { ok: true, value: expected }))
  }
})

void describe('decodeGpx refuses with one sentence', () => {
  const cases: readonly (readonly [what: string, bytes: Buffer, named: RegExp])[] = [
    ['an encoding that nobody knows', latin(declaring('x-mac-klingon')), /x-mac-klingon/],
    ['one that browsers refuse', latin(declaring('ISO-2022-KR')), /ISO-2022-KR/],
    ['bytes that are no UTF-8', latin('<gpx>é</gpx>'), /UTF-8/],
    ['a character cut in two', Buffer.from('<gpx>é').subarray(0, -1), /UTF-8/],
    ['half a unit of UTF-16', marked([0xff, 0xfe], little('<gpx/>')).subarray(0, -1), /UTF-16LE/],
    ['half a surrogate pair', marked([0xff, 0xfe], little('<gpx>\ud83e')), /UTF-16LE/],
    [
      'a wrong pair of Shift_JIS',
      Buffer.concat([latin(declaring('Shift_JIS', '')), Buffer.from([0x8e, 0x20])]),
      /SHIFT_JIS/,
    ],
  ]
  for (const [what, bytes, named] of cases) {
    void it(what, () => {
      const reading = decodeGpx(bytes)
      assert.ok(!reading.ok)
      assert.match(reading.fault.detail, named)
    })
  }

  void it('and handles a declaration that never ends quickly', () => {
    const bytes = Buffer.from(`<?xml ${'encoding = '.repeat(2 ** 16)}`)
    assert.ok(cpuMs(() => void decodeGpx(bytes)) < 250)
  })
})
