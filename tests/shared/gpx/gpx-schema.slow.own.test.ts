// What we write as GPX is valid by the rules of the GPX 1.1 schema, before a judge that is not our code: xmllint.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import * as fc from 'fast-check'
import { writeGpx } from '../../../src/shared/gpx/gpx-writer.ts'
import { linesOf } from '../../../src/shared/gpx/gpx-document.ts'
import type { Gpx } from '../../../src/shared/gpx/gpx-document.ts'
import { rewritingGpx } from '../../../src/shared/gpx/rewrite/gpx-rewrite.ts'
import { atOnce } from '../../../src/shared/yielding.ts'
import { readGpxText } from '../../../src/shared/gpx/gpx.ts'
import { lineOf, positionsOf } from '../../../src/shared/geo/points.ts'
import { gpxOf, read } from './gpx-helpers.ts'
import { corpusAbsent, corpusFile, expectedOf } from '../../helpers/corpus.ts'
import { newFolder } from '../../helpers/folders.ts'
import { gpxSchema } from './gpx-schema.ts'

const run = promisify(execFile)
const xmllintAbsent = await run('xmllint', ['--version']).then(
  () => undefined,
  () => 'xmllint is not installed (Debian: libxml2-utils)',
)

/** What xmllint says against each of the documents, by the name they were given. */
async function complaintsOn(
  t: TestContext,
  documents: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const folder = await newFolder(t)
  const schema = path.join(folder, 'gpx.xsd')
  await writeFile(schema, gpxSchema())
  const names = [...documents.keys()]
  const files = names.map((_, index) => path.join(folder, `${index}.gpx`))
  await Promise.all(names.map((name, index) => writeFile(files[index] ?? '', documents.get(name) ?? '')))
  const judged = await run('xmllint', ['--nonet', '--noout', '--schema', schema, ...files], {
    maxBuffer: 64 * 1024 ** 2,
  }).catch((error: unknown) => error as { stderr: string })
  const lines = judged.stderr.split('\n')
  const complaints = new Map<string, string>()
  for (const [index, file] of files.entries()) {
    if (lines.includes(`${file} validates`)) continue
    const said = lines.filter((line) => line.startsWith(file)).map((line) => line.slice(folder.length + 1))
    complaints.set(names[index] ?? '', said.slice(0, 3).join('\n') || judged.stderr.slice(0, 300))
  }
  return complaints
}

const about = {
  name: 'Rim & <Trail>',
  description: 'Up,\r\nthen "down" \u{1f3d4}\0',
  creator: 'Waymark "1"',
  link: 'https://hikes.example/routes/7?a=1&b=%20',
}
const forOwner = (text: string): string => atOnce(rewritingGpx(text, about)).chunks.join('')
const forVisitor = (gpx: Gpx): string => {
  const segments = linesOf(gpx).map((line) =>
    lineOf([...positionsOf(line)].map(({ lat, lon }) => ({ lat, lon }))),
  )
  return [...writeGpx({ ...about, routes: [], tracks: [{ name: about.name, segments }] })].join('')
}

const point = (attributes: string, content = ''): string =>
  `<trk><trkseg><trkpt ${attributes}>${content}</trkpt></trkseg></trk>`
const invalid: readonly string[] = [
  '<gpx version="1.1" creator="tests"/>',
  gpxOf('').replace('version="1.1" ', ''),
  gpxOf('').replace('1.1', '1.0'),
  gpxOf('').replace(/creator="\w+"/, ''),
  gpxOf('<rte/><wpt lat="1" lon="1"/>'),
  gpxOf('<trk/><rte/>'),
  gpxOf('<name>a</name>'),
  gpxOf('<metadata><desc/><name/></metadata>'),
  gpxOf('<metadata/><metadata/>'),
  gpxOf('<trk><trkseg/><name>a</name></trk>'),
  gpxOf('<extensions/><trk/>'),
  gpxOf('<extensions><power/></extensions>'),
  gpxOf('<extensions><power xmlns=""/></extensions>'),
  gpxOf('<metadata><bounds minlat="1"/></metadata>'),
  gpxOf('text'),
  gpxOf(point('lat="1"')),
  gpxOf(point('lat="1" lon="180"')),
  gpxOf(point('lat="1" lon="-180.1"')),
  gpxOf(point('lat="90.00001" lon="1"')),
  gpxOf(point('lat="1e-7" lon="1"')),
  gpxOf(point('lat="NaN" lon="1"')),
  gpxOf(point('lat="" lon="1"')),
  gpxOf(point('lat="1" lon="1"', '<ele/>')),
  gpxOf(point('lat="1" lon="1"', '<ele>1e3</ele>')),
  gpxOf(point('lat="1" lon="1"', '<time>2026-01-01T00:00:00Z</time><ele>1</ele>')),
  gpxOf(point('lat="1" lon="1"', '<ele>1</ele><ele>1</ele>')),
  gpxOf(point('lat="1" lon="1"', '<time>0000-01-01T00:00:00Z</time>')),
  gpxOf(point('lat="1" lon="1"', '<time>-000001-12-31T00:00:00Z</time>')),
  gpxOf(point('lat="1" lon="1"', '<time>2026-02-30T00:00:00Z</time>')),
  gpxOf(point('lat="1" lon="1"', '<extensions/><hdop>1</hdop>')),
  gpxOf(point('lat="1" lon="1"', '<fix>4d</fix>')),
  gpxOf(point('lat="1" lon="1"', '<sat>-1</sat>')),
]

test('the validator refuses what the schema does not allow', { skip: xmllintAbsent }, async (t) => {
  const complaints = await complaintsOn(t, new Map(invalid.map((text) => [text, text])))
  assert.deepEqual([...complaints.keys()], invalid)
})

test(
  'Part D: every GPX file of the corpus is valid, as its owner and as a visitor would get it',
  { skip: corpusAbsent ?? xmllintAbsent },
  async (t) => {
    const documents = new Map<string, string>()
    for (const [name] of await expectedOf('gpx')) {
      const text = (await corpusFile('gpx', name)).toString('utf8')
      const reading = readGpxText(text)
      if (!reading.ok) continue
      documents.set(`${name}, owner`, forOwner(text))
      documents.set(`${name}, visitor`, forVisitor(reading.value))
    }
    assert.ok(documents.size > 80, `${documents.size} documents`)
    assert.deepEqual(await complaintsOn(t, documents), new Map())
    for (const [name, text] of documents) assert.deepEqual(read(text).warnings, [], name)
  },
)

const numbers = '0 -0 1e-7 -9.87654321e-12 5e-324 0.1234567890123456789 -.5 1. 1e-19 4.9e-21'.split(' ')
const upTo = (max: number): string[] => [
  ...numbers,
  `${max}`,
  `-${max}`,
  `${max - 1}.99999999999999999999`,
  `-${max - 1}.99999999999999`,
]
const times = [
  '0000-01-01T00:00:00+14:00',
  '0000-12-31T23:59:59.999Z',
  '0001-01-01T00:00:00Z',
  '0001-01-01T00:00:00+00:01',
  '9999-12-31T23:59:59.999Z',
  '9999-12-31T23:59:60Z',
  '9999-12-31T23:59:59-14:00',
  '2024-02-29T12:00:00.5',
  '1969-12-31T23:59:59.9999999Z',
  '0099-03-01T00:00:00Z',
  'soon',
]
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(']]>', '<a>', '&amp;', '"\'', '\r', '\u{85}\u{2028}', '\u{feff}a', '\u{1f3d4}', ' '),
)
const escaped = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '?')
    .replaceAll(/[<&>\r]/g, (one) => `&#${one.charCodeAt(0)};`)

/** With a value between them: whatever the schema wants in each, it gets one or does without. */
const oddChildren = [
  '<fix>',
  '</fix><sat>',
  '</sat><hdop>',
  '</hdop><magvar>',
  '</magvar><dgpsid>',
  '</dgpsid><speed>',
  '</speed><link href="',
  '"/><u:hr>',
  '</u:hr><extensions><hr>',
  '</hr><p:w xmlns:p="urn:p"><hr>',
  '</hr></p:w></extensions>',
]

const anyPoint = (tag: string): fc.Arbitrary<string> =>
  fc
    .record({
      lat: fc.constantFrom(...upTo(90)),
      lon: fc.constantFrom(...upTo(180)),
      ele: fc.option(fc.constantFrom(...upTo(100_000), 'NaN')),
      time: fc.option(fc.constantFrom(...times)),
      name: fc.option(texts),
      odd: fc.option(
        fc.constantFrom('', ' ', '1', '-1', '361', '1e3', 'http://a b/%zz#x#y', '::', '[', '3D'),
      ),
    })
    .map(({ lat, lon, ele, time, name, odd }) => {
      const children = [
        name === null ? '' : `<name>${escaped(name)}</name>`,
        time === null ? '' : `<time>${time}</time>`,
        ele === null ? '' : `<ele>${ele}</ele>`,
      ]
      const others = odd === null ? '' : oddChildren.join(odd)
      return `<${tag} lat="${lat}" lon="${lon}"><extensions><x/></extensions>${others}${children.join('')}</${tag}>`
    })
const many = (one: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.array(one, { maxLength: 5 }).map((all) => all.join(''))
const around = (tag: string, content: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(content, fc.option(texts))
    .map(
      ([inner, name]) => `<${tag}>${inner}${name === null ? '' : `<name>${escaped(name)}</name>`}</${tag}>`,
    )
const anyDocument = fc
  .tuple(
    many(around('trk', many(many(anyPoint('trkpt')).map((all) => `<trkseg>${all}</trkseg>`)))),
    many(around('rte', many(anyPoint('rtept')))),
    many(anyPoint('wpt')),
  )
  .map((parts) => gpxOf(parts.join('')))

test(
  'Part D: extreme values and odd documents are valid when written',
  { skip: xmllintAbsent },
  async (t) => {
    const documents = new Map<string, string>()
    let pointCount = 0
    for (const [index, text] of fc.sample(anyDocument, 400).entries()) {
      const gpx = read(text)
      pointCount += gpx.counts.trackPoints + gpx.counts.routePoints + gpx.counts.waypoints
      documents.set(`${index}, owner: ${text}`, forOwner(text))
      documents.set(`${index}, visitor: ${text}`, forVisitor(gpx))
    }
    assert.ok(pointCount > 1000, `${pointCount} points`)
    const complaints = await complaintsOn(t, documents)
    assert.deepEqual([...complaints].slice(0, 3), [])
  },
)
