// The rules of the GPX 1.1 schema (https://www.topografix.com/GPX/1/1/) for what we write, restated in our own words.

const gpx11 = 'http://www.topografix.com/GPX/1/1'

/** Name, type and how often; in the order in which they have to stand. */
type Child = readonly [name: string, type: string, times: '?' | '*']

interface Type {
  readonly children: readonly Child[]
  readonly attributes: readonly (readonly [name: string, type: string, fixed?: string])[]
}

const texts = (...names: string[]): Child[] => names.map((name) => [name, 'xs:string', '?'])
const link: Child = ['link', 'link', '*']
const extensions: Child = ['extensions', 'extensions', '?']

const point: Type = {
  children: [
    ['ele', 'xs:decimal', '?'],
    ['time', 'xs:dateTime', '?'],
    ['magvar', 'degrees', '?'],
    ['geoidheight', 'xs:decimal', '?'],
    ...texts('name', 'cmt', 'desc', 'src'),
    link,
    ...texts('sym', 'type'),
    ['fix', 'fix', '?'],
    ['sat', 'xs:nonNegativeInteger', '?'],
    ['hdop', 'xs:decimal', '?'],
    ['vdop', 'xs:decimal', '?'],
    ['pdop', 'xs:decimal', '?'],
    ['ageofdgpsdata', 'xs:decimal', '?'],
    ['dgpsid', 'station', '?'],
    extensions,
  ],
  attributes: [
    ['lat', 'latitude'],
    ['lon', 'longitude'],
  ],
}

const line: readonly Child[] = [
  ...texts('name', 'cmt', 'desc', 'src'),
  link,
  ['number', 'xs:nonNegativeInteger', '?'],
  ...texts('type'),
  extensions,
]

const types: Readonly<Record<string, Type>> = {
  document: {
    children: [
      ['metadata', 'metadata', '?'],
      ['wpt', 'point', '*'],
      ['rte', 'route', '*'],
      ['trk', 'track', '*'],
      extensions,
    ],
    attributes: [
      ['version', 'xs:string', '1.1'],
      ['creator', 'xs:string'],
    ],
  },
  metadata: {
    children: [
      ...texts('name', 'desc'),
      ['author', 'person', '?'],
      ['copyright', 'copyright', '?'],
      link,
      ['time', 'xs:dateTime', '?'],
      ...texts('keywords'),
      ['bounds', 'bounds', '?'],
      extensions,
    ],
    attributes: [],
  },
  person: { children: [...texts('name'), ['email', 'email', '?'], ['link', 'link', '?']], attributes: [] },
  email: {
    children: [],
    attributes: [
      ['id', 'xs:string'],
      ['domain', 'xs:string'],
    ],
  },
  copyright: {
    children: [
      ['year', 'xs:gYear', '?'],
      ['license', 'xs:anyURI', '?'],
    ],
    attributes: [['author', 'xs:string']],
  },
  bounds: {
    children: [],
    attributes: [
      ['minlat', 'latitude'],
      ['minlon', 'longitude'],
      ['maxlat', 'latitude'],
      ['maxlon', 'longitude'],
    ],
  },
  link: { children: texts('text', 'type'), attributes: [['href', 'xs:anyURI']] },
  point,
  route: { children: [...line, ['rtept', 'point', '*']], attributes: [] },
  track: { children: [...line, ['trkseg', 'segment', '*']], attributes: [] },
  segment: { children: [['trkpt', 'point', '*'], extensions], attributes: [] },
}

/** The range of longitudes ends before 180, that of latitudes with 90. */
const ranges = {
  degrees: '<xs:minInclusive value="0"/><xs:maxExclusive value="360"/>',
  station: '<xs:minInclusive value="0"/><xs:maxInclusive value="1023"/>',
  latitude: '<xs:minInclusive value="-90"/><xs:maxInclusive value="90"/>',
  longitude: '<xs:minInclusive value="-180"/><xs:maxExclusive value="180"/>',
}

const fixes = ['none', '2d', '3d', 'dgps', 'pps']

/** The schema as an XML Schema document. */
export function gpxSchema(): string {
  const children = (all: readonly Child[]): string =>
    all
      .map(([name, type, times]) => {
        const max = times === '*' ? ' maxOccurs="unbounded"' : ''
        return `<xs:element name="${name}" type="${type}" minOccurs="0"${max}/>`
      })
      .join('')
  const attributes = (all: Type['attributes']): string =>
    all
      .map(([name, type, fixed]) => {
        const value = fixed === undefined ? '' : ` fixed="${fixed}"`
        return `<xs:attribute name="${name}" type="${type}" use="required"${value}/>`
      })
      .join('')
  const complex = Object.entries(types).map(
    ([name, type]) =>
      `<xs:complexType name="${name}"><xs:sequence>${children(type.children)}</xs:sequence>${attributes(type.attributes)}</xs:complexType>`,
  )
  const simple = Object.entries(ranges).map(
    ([name, range]) =>
      `<xs:simpleType name="${name}"><xs:restriction base="xs:${name === 'station' ? 'integer' : 'decimal'}">${range}</xs:restriction></xs:simpleType>`,
  )
  const fix = `<xs:simpleType name="fix"><xs:restriction base="xs:string">${fixes.map((value) => `<xs:enumeration value="${value}"/>`).join('')}</xs:restriction></xs:simpleType>`
  const open =
    '<xs:complexType name="extensions"><xs:sequence><xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType>'
  const schema = `xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="${gpx11}" targetNamespace="${gpx11}" elementFormDefault="qualified"`
  return `<xs:schema ${schema}><xs:element name="gpx" type="document"/>${[...complex, ...simple, fix, open].join('')}</xs:schema>`
}
