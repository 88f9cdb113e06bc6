// Generates GPX documents of 8 MiB, bodies that contain one, and hostile documents.
import { createRandom } from '../helpers/containers-fixtures.ts'

export const maxGpxBytes = 8 * 1024 ** 2

/** As many chunks as fit between head and tail. */
function filled(head: string, chunkAt: () => string, tail: string): string {
  const chunks = [head]
  let length = head.length + tail.length
  for (let chunk = chunkAt(); length + chunk.length <= maxGpxBytes; chunk = chunkAt()) {
    chunks.push(chunk)
    length += chunk.length
  }
  return [...chunks, tail].join('')
}

/** 350,000 points, the maximum for this size. */
export const shortestPoints = (): string =>
  filled('<gpx><rte>', () => '<rtept lat="1" lon="1"/>', '</rte></gpx>')

/** Like a device's points, with digits that hardly compress. */
export function devicePoints(): string {
  const random = createRandom(5)
  let [lat, lon, at] = [45, 7, Date.UTC(2026, 0, 1)]
  const point = (): string => {
    lat += (random() - 0.5) * 1e-4
    lon += (random() - 0.5) * 1e-4
    at += 1_000
    const time = new Date(at).toISOString()
    const ele = (random() * 1_000).toFixed(2)
    return `<trkpt lat="${lat.toFixed(7)}" lon="${lon.toFixed(7)}"><ele>${ele}</ele><time>${time}</time></trkpt>\n`
  }
  return filled('<gpx version="1.1" creator="test"><trk><trkseg>', point, '</trkseg></trk></gpx>')
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

export interface Body {
  readonly type: string
  readonly body: string
}

export const forms: Readonly<Record<'JSON' | 'XML' | 'CDATA in XML', (gpx: string) => Body>> = {
  JSON: (gpx) => ({ type: 'application/json', body: JSON.stringify([{ name: 'A', gpx }]) }),
  XML: (gpx) => ({
    type: 'application/xml',
    body: `<Route><name>A</name><gpx>${escapeXml(gpx)}</gpx></Route>`,
  }),
  'CDATA in XML': (gpx) => ({
    type: 'application/xml',
    body: `<Route><name>A</name><gpx><![CDATA[${gpx.replaceAll(']]>', ']]]]><![CDATA[>')}]]></gpx></Route>`,
  }),
}

const boundary = 'a-boundary-of-the-test'

/** Several files as a browser sends them. */
export function filesBody(files: readonly string[]): Body {
  const parts = files.map(
    (file, index) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${index}.gpx"\r\nContent-Type: application/gpx+xml\r\n\r\n${file}\r\n`,
  )
  return { type: `multipart/form-data; boundary=${boundary}`, body: `${parts.join('')}--${boundary}--\r\n` }
}

const target = 'http://127.0.0.1:9/evil.dtd'
const passwords = 'file:///etc/passwd'
const track = (points: string): string => `<gpx><trk><trkseg>${points}</trkseg></trk></gpx>`
const levels = Array.from(
  { length: 10 },
  (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`,
)

/** Each must be refused. */
export const hostileGpx: Readonly<Record<string, string>> = {
  'billion laughs': `<!DOCTYPE gpx [<!ENTITY l0 "lol">${levels.join('')}]><gpx><name>&l10;</name></gpx>`,
  'a quadratic bomb': `<!DOCTYPE gpx [<!ENTITY a "${'a'.repeat(50_000)}">]><gpx><name>${'&a;'.repeat(50_000)}</name></gpx>`,
  'XXE of a file': `<!DOCTYPE gpx [<!ENTITY x SYSTEM "${passwords}">]><gpx><name>&x;</name></gpx>`,
  'XXE of an address': `<!DOCTYPE gpx [<!ENTITY x SYSTEM "${target}">]><gpx><name>&x;</name></gpx>`,
  'an outer DTD': `<!DOCTYPE gpx SYSTEM "${target}"><gpx/>`,
  'a public DTD': `<!DOCTYPE gpx PUBLIC "-//X//Y" "${target}"><gpx/>`,
  'a parameter entity': `<!DOCTYPE gpx [<!ENTITY % p SYSTEM "${target}"> %p;]><gpx/>`,
  'a DOCTYPE behind an instruction': `<?xml version="1.0"?><?xml-stylesheet href="${target}"?><!DOCTYPE gpx SYSTEM "${passwords}"><gpx/>`,
  'a DOCTYPE inside': `<gpx><!DOCTYPE gpx SYSTEM "${target}"></gpx>`,
  'a DOCTYPE that never ends': `<!DOCTYPE gpx [<!ENTITY x SYSTEM "${target}"`,
  'an entity that nobody declared': '<gpx><name>&x;</name></gpx>',
  '200,000 nested tags': `<gpx>${'<a>'.repeat(200_000)}${'</a>'.repeat(200_000)}</gpx>`,
  'duplicate attributes': track('<trkpt lat="1" lon="1" lat="2"/>'),
  'attributes without end': `<gpx ${Array.from({ length: 5_000 }, (_, index) => `a${index}=""`).join(' ')}/>`,
  'a latitude that is NaN': track('<trkpt lat="NaN" lon="1"/>'),
  'a longitude that is Infinity': track('<trkpt lat="1" lon="Infinity"/>'),
  'a latitude beyond the pole': track('<trkpt lat="91" lon="1"/>'),
  HTML: `<!doctype html><html><head><link href="${target}"></head><body><p>Sign in<br></body></html>`,
  XHTML: `<html xmlns="http://www.w3.org/1999/xhtml"><body/></html>`,
  JSON: '{"type":"FeatureCollection"}',
  'a truncated file': '<gpx><trk><trkseg><trkpt lat="1" lon="1"><ele>12',
  'a truncated tag': '<gpx><trk><trkseg><trkpt lat="1" lo',
  'a comment that never ends': `<gpx><!--${'- '.repeat(100_000)}`,
  'a tag of a mebibyte': `<gpx><a ${' '.repeat(1024 ** 2)}/></gpx>`,
  'control characters': '<gpx><name>&#1;</name></gpx>',
}

const route = (gpx: string): string => `<Route><name>A</name><gpx>${gpx}</gpx></Route>`

/** Hostile bodies around a harmless GPX; each must be refused. */
export const hostileBodies: Readonly<Record<string, string>> = {
  'an entity of a file': `<!DOCTYPE Route [<!ENTITY x SYSTEM "${passwords}">]>${route('&x;')}`,
  'an entity of an address': `<!DOCTYPE Route [<!ENTITY x SYSTEM "${target}">]>${route('&x;')}`,
  'a parameter entity': `<!DOCTYPE Route [<!ENTITY % p SYSTEM "${target}"> %p;]>${route('')}`,
  'an outer DTD': `<!DOCTYPE Route SYSTEM "${target}">${route('')}`,
  'billion laughs': `<!DOCTYPE Route [<!ENTITY l0 "lol">${levels.join('')}]>${route('&l10;')}`,
  'an entity that nobody declared': route('&x;'),
  '200,000 nested tags': `${'<Route>'.repeat(200_000)}${'</Route>'.repeat(200_000)}`,
  'a field twice': `<Route><gpx/><gpx/></Route>`,
  'duplicate attributes': `<Route a="" a=""><gpx/></Route>`,
  'a truncated body': `<Route><gpx>`,
}
