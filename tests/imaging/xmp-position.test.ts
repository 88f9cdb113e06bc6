// Positions in XMP packets: forms, namespaces, encodings, and refused packets.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { positionFrom } from '../../src/shared/formats/gps.ts'
import type { Position } from '../../src/shared/formats/gps.ts'
import { buildXmp, wrapXmp } from '../helpers/exif-fixtures.ts'

const exifNamespace = 'http://ns.adobe.com/exif/1.0/'
const place: Position = { lat: '50.5', lon: '-14.25' }
const good = buildXmp('50,30N', '14,15W')

function position(packet: string | Uint8Array): Position | undefined {
  return positionFrom([{ kind: 'xmp', bytes: typeof packet === 'string' ? Buffer.from(packet) : packet }])
}

function describe(content: string, attributes = ''): string {
  return wrapXmp(
    `<rdf:Description rdf:about="" xmlns:e="${exifNamespace}" ${attributes}>${content}</rdf:Description>`,
  )
}

void test('all valid notations are read', () => {
  assert.deepEqual(position(buildXmp('50,17,58N', '14,49,13E')), { lat: '50.2994444', lon: '14.8202778' })
  assert.deepEqual(position(buildXmp('50,17.976167N', '14,49.217667E')), {
    lat: '50.2996028',
    lon: '14.8202945',
  })
  assert.deepEqual(position(buildXmp('50,17,58.57N', '014,49,13.06E')), {
    lat: '50.2996028',
    lon: '14.8202944',
  })
  assert.deepEqual(position(buildXmp(' 50,30n ', '14,15w')), place)
  assert.deepEqual(position(buildXmp('50.5N', '14.25W')), place)
  assert.deepEqual(position(buildXmp('0,0.0000S', '14,15W')), { ...place, lat: '0' })
  assert.deepEqual(position(buildXmp(`50,30.${'0'.repeat(40)}N`, '14,15W')), place)
})

void test('other notations, ranges and references give no position', () => {
  const wrong = [
    '',
    'N',
    '50',
    '50.5',
    '50,30',
    '-50,30N',
    '+50,30N',
    '50,30E',
    '91,0N',
    '90,0.1N',
    '50,61N',
    '50,30,61N',
  ]
  const odd = [
    '50.5,30N',
    '50,3.5,30N',
    '1,2,3,4N',
    ',30N',
    '50,N',
    '50,.5N',
    '5e1,0N',
    'N50,30',
    '50/1,30/1N',
    'NaNN',
  ]
  const long = [`${'5'.repeat(100)}N`, `50,30.${'0'.repeat(41)}N`, `${','.repeat(1_000_000)}N`, '５０,30N']
  for (const latitude of [...wrong, ...odd, ...long]) {
    assert.equal(position(buildXmp(latitude, '14,15W')), undefined, latitude.slice(0, 40))
  }
  assert.equal(position(buildXmp('0,0N', '0,0E')), undefined)
})

void test('properties are read from attributes or elements, under any prefix of the namespace', () => {
  const latitude = '<e:GPSLatitude>50,30N</e:GPSLatitude>'
  assert.deepEqual(position(describe(`${latitude}<e:GPSLongitude>14,15W</e:GPSLongitude>`)), place)
  assert.deepEqual(position(describe(latitude, 'e:GPSLongitude="14,15W"')), place, 'one of each')
  const whole = '<e:GPSLongitude>\n <![CDATA[14,]]>15<!-- -->W\n</e:GPSLongitude>'
  assert.deepEqual(position(describe(latitude + whole)), place, 'in pieces')
  const byDefault = `<GPSLatitude xmlns="${exifNamespace}">50,30N</GPSLatitude>`
  assert.deepEqual(position(describe(byDefault, 'e:GPSLongitude="14,15W"')), place, 'the default namespace')
  const rebound = `<x:GPSLatitude xmlns:x="${exifNamespace}">50,30N</x:GPSLatitude>`
  assert.deepEqual(
    position(describe(rebound, 'xmlns:x="other" e:GPSLongitude="14,15W"')),
    place,
    'bound anew',
  )
  const rdf = 'xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
  const bare = `<r:RDF ${rdf}><r:Description xmlns:e="${exifNamespace}" e:GPSLatitude="50,30N"/>`
  const second = `<r:Description xmlns:e="${exifNamespace}" e:GPSLongitude="14,15W"/></r:RDF>`
  assert.deepEqual(position(bare + second), place, 'RDF as the root, split over two Descriptions')
})

void test('if a property occurs twice, the first is used', () => {
  const first = 'e:GPSLatitude="50,30N" e:GPSLongitude="14,15W"'
  const second = '<e:GPSLatitude>1,0N</e:GPSLatitude><e:GPSLongitude>2,0E</e:GPSLongitude>'
  assert.deepEqual(position(describe(second, first)), place)
  assert.deepEqual(position(describe(second + second.replace('1,0', '3,0'))), { lat: '1', lon: '2' })
  assert.deepEqual(position(describe('', `${first} xmlns:f="${exifNamespace}" f:GPSLatitude="1,0N"`)), place)
})

void test('the same names in another namespace, in none, or of another picture are ignored', () => {
  assert.equal(position(good.replace(exifNamespace, 'http://ns.adobe.com/exif/1.1/')), undefined)
  assert.equal(position(good.replaceAll('exif:GPS', 'GPS')), undefined)
  assert.equal(position(good.replaceAll('exif:GPS', 'unbound:GPS')), undefined)
  assert.equal(position(good.replace('1999/02/22-rdf', '1999/02/23-rdf')), undefined)
  const noRdf = good.replace('<rdf:RDF', '<o:RDF xmlns:o="other"').replace('</rdf:RDF', '</o:RDF')
  assert.equal(position(noRdf), undefined)
  const unprefixed = `xmlns="${exifNamespace}" GPSLatitude="50,30N" GPSLongitude="14,15W"`
  assert.equal(
    position(describe('', unprefixed)),
    undefined,
    'the default namespace is not that of attributes',
  )
  const rebound = `<e:GPSLatitude xmlns:e="other">50,30N</e:GPSLatitude>`
  assert.equal(position(describe(rebound, 'e:GPSLongitude="14,15W"')), undefined)
  const nested = '<e:GPSLatitude>50,30N</e:GPSLatitude><e:GPSLongitude>14,15W</e:GPSLongitude>'
  const pantry = `<p:Pantry xmlns:p="p"><rdf:Bag><rdf:li><rdf:Description>${nested}</rdf:Description></rdf:li></rdf:Bag></p:Pantry>`
  assert.equal(position(describe(pantry)), undefined)
  const whole = `<p:Pantry xmlns:p="p"><rdf:RDF><rdf:Description>${nested}</rdf:Description></rdf:RDF></p:Pantry>`
  assert.equal(position(describe(whole)), undefined)
  assert.equal(
    position(describe(`<e:GPSLatitude><e:x>50,30N</e:x></e:GPSLatitude>`, 'e:GPSLongitude="14,15W"')),
    undefined,
  )
})

void test('UTF-16 in either byte order, a byte order mark and NULs at the end are read', () => {
  const little = Buffer.from(good.replace('\uFEFF', ''), 'utf16le')
  const big = Buffer.from(little).swap16()
  assert.deepEqual(position(little), place)
  assert.deepEqual(position(big), place)
  assert.deepEqual(position(Buffer.from(`\uFEFF${good}`, 'utf16le')), place)
  assert.deepEqual(position(Buffer.from(`\uFEFF${good}`, 'utf16le').swap16()), place)
  assert.deepEqual(position(`\uFEFF${good}`), place)
  assert.deepEqual(position(`${good}${' '.repeat(2_000)}\0\0\0`), place)
  assert.deepEqual(position(Buffer.concat([big, Buffer.alloc(4)])), place)
})

void test('a caption in Latin-1 does not prevent reading the position', () => {
  const packet = Buffer.from(
    describe('<e:UserComment>\u00e9</e:UserComment>', 'e:GPSLatitude="50,30N" e:GPSLongitude="14,15W"'),
    'latin1',
  )
  assert.deepEqual(position(packet), place)
})

void test('a packet that is broken, nested too deeply or has a DOCTYPE gives no position', () => {
  const end = good.indexOf('</rdf:RDF>')
  assert.equal(position(good.slice(0, end)), undefined)
  assert.equal(position(good.replace('</rdf:RDF>', '')), undefined)
  assert.equal(position(`${good}<a/>`), undefined)
  assert.equal(position(good.replace('50,30N', '50,30&n;')), undefined)
  assert.equal(position(`<!DOCTYPE a>${good}`), undefined)
  assert.equal(position(`<!DOCTYPE a [<!ENTITY n "N">]>${good}`), undefined)
  const nest = (depth: number): string =>
    describe('<e:a>'.repeat(depth) + '</e:a>'.repeat(depth), 'e:GPSLatitude="50,30N" e:GPSLongitude="14,15W"')
  assert.deepEqual(position(nest(61)), place)
  assert.equal(position(nest(62)), undefined)
  assert.equal(position(nest(50_000)), undefined)
})

void test('names of Object.prototype are treated like any other name', () => {
  const attributes = 'e:GPSLatitude="50,30N" e:GPSLongitude="14,15W" e:__proto__="a" e:constructor="b"'
  assert.deepEqual(position(describe('<e:__proto__/><e:toString/>', attributes)), place)
})

void test('a valid packet with anything inserted, removed or cut off gives the position or none', () => {
  const pieces = fc.constantFrom(
    '<',
    '>',
    '"',
    '&',
    '\0',
    ']]>',
    '<!--',
    '<?',
    '/>',
    'xmlns=""',
    '\uD800',
    '<!DOCTYPE',
    'N',
  )
  fc.assert(
    fc.property(fc.nat(good.length), fc.nat(20), pieces, (at, length, piece) => {
      const result = position(good.slice(0, at) + piece + good.slice(at + length))
      assert.ok(result === undefined || Number(result.lat) <= 90)
    }),
    { numRuns: 2_000 },
  )
})
