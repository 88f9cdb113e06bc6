// The rules of the GPX 1.1 schema (https://www.topografix.com/GPX/1/1/) for what we write, restated in our own words.

const gpx11 = 'http://www.topografix.com/GPX/1/1'

/** Name, type and how often; in the order in which they have to stand. */
type Child = readonly [name: string, type: string, times: '?' | '*']

interface Type {
  readonly children: readonly Child[]
  readonly attributes: readonly (readonly [name: string, type: string, fixed?: string])[]
}

const point: Type = {
  children: [
    ['ele', 'xs:decimal', '?'],
    ['time', 'xs:dateTime', '?'],
    ['name', 'xs:string', '?'],
  ],
  attributes: [
    ['lat', 'latitude'],
    ['lon', 'longitude'],
  ],
}

/** What else the schema allows (extensions among it) we do not write, and it is missing here: nothing is open. */
const types: Readonly<Record<string, Type>> = {
  document: {
    children: [
      ['metadata', 'metadata', '?'],
      ['wpt', 'point', '*'],
      ['rte', 'route', '*'],
      ['trk', 'track', '*'],
    ],
    attributes: [
      ['version', 'xs:string', '1.1'],
      ['creator', 'xs:string'],
    ],
  },
  metadata: {
    children: [
      ['name', 'xs:string', '?'],
      ['desc', 'xs:string', '?'],
      ['link', 'link', '*'],
    ],
    attributes: [],
  },
  link: { children: [], attributes: [['href', 'xs:anyURI']] },
  point,
  route: {
    children: [
      ['name', 'xs:string', '?'],
      ['rtept', 'point', '*'],
    ],
    attributes: [],
  },
  track: {
    children: [
      ['name', 'xs:string', '?'],
      ['trkseg', 'segment', '*'],
    ],
    attributes: [],
  },
  segment: { children: [['trkpt', 'point', '*']], attributes: [] },
}

/** The range of longitudes ends before 180, that of latitudes with 90. */
const ranges = {
  latitude: '<xs:minInclusive value="-90"/><xs:maxInclusive value="90"/>',
  longitude: '<xs:minInclusive value="-180"/><xs:maxExclusive value="180"/>',
}

/** The schema as an XML Schema document. */
export function gpxSchema(): string {
  const children = (all: readonly Child[]): string =>
    all
      .map(([name, type, times]) => {
        const most = times === '*' ? ' maxOccurs="unbounded"' : ''
        return `<xs:element name="${name}" type="${type}" minOccurs="0"${most}/>`
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
      `<xs:simpleType name="${name}"><xs:restriction base="xs:decimal">${range}</xs:restriction></xs:simpleType>`,
  )
  const schema = `xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="${gpx11}" targetNamespace="${gpx11}" elementFormDefault="qualified"`
  return `<xs:schema ${schema}><xs:element name="gpx" type="document"/>${[...complex, ...simple].join('')}</xs:schema>`
}
