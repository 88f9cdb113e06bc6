// Builds EXIF blocks, XMP packets and photos that carry them, for tests and for the demo photos.

export type ByteOrder = 'II' | 'MM'

/** One value of a TIFF entry: a pair is a rational, other values depend on the type. */
export type TiffValue = number | readonly [numerator: number, denominator: number]

export interface TiffEntry {
  readonly tag: number
  readonly type: number
  readonly values: readonly TiffValue[]
  /** The count to claim, if it differs from the real one. */
  readonly count?: number
  /** The offset to claim, if it differs from the real one. */
  readonly offset?: number
}

export interface TiffDirectories {
  readonly byteOrder?: ByteOrder
  readonly main?: readonly TiffEntry[]
  readonly exif?: readonly TiffEntry[]
  readonly gps?: readonly TiffEntry[]
  /** A complete JPEG for the second directory. */
  readonly thumbnail?: Uint8Array
}

export interface PrivateMetadata {
  /** Decimal degrees, stored as degrees, minutes and seconds, exact to seven decimals. */
  readonly position?: { readonly lat: number; readonly lon: number }
  readonly orientation?: number
  readonly serialNumber?: string
  readonly ownerName?: string
  readonly comment?: string
  readonly thumbnail?: Uint8Array
  readonly byteOrder?: ByteOrder
}

export const tiffTypes = {
  byte: 1,
  ascii: 2,
  short: 3,
  long: 4,
  rational: 5,
  signedByte: 6,
  undefined: 7,
  signedShort: 8,
  signedLong: 9,
  signedRational: 10,
  float: 11,
  double: 12,
  offset: 13,
} as const
const bytesPerValue = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]

export const tags = {
  latitudeReference: 0x0001,
  latitude: 0x0002,
  longitudeReference: 0x0003,
  longitude: 0x0004,
  altitudeReference: 0x0005,
  altitude: 0x0006,
  directionReference: 0x0010,
  direction: 0x0011,
  accuracy: 0x001f,
  orientation: 0x0112,
  thumbnailOffset: 0x0201,
  thumbnailLength: 0x0202,
  exifDirectory: 0x8769,
  gpsDirectory: 0x8825,
  takenAt: 0x9003,
  digitisedAt: 0x9004,
  offset: 0x9011,
  subSeconds: 0x9291,
  userComment: 0x9286,
  ownerName: 0xa430,
  serialNumber: 0xa431,
} as const

export function ascii(tag: number, text: string): TiffEntry {
  return { tag, type: tiffTypes.ascii, values: [...Buffer.from(`${text}\0`, 'latin1')] }
}

export function short(tag: number, value: number): TiffEntry {
  return { tag, type: tiffTypes.short, values: [value] }
}

export function long(tag: number, value: number): TiffEntry {
  return { tag, type: tiffTypes.long, values: [value] }
}

export function rationals(tag: number, ...values: readonly (readonly [number, number])[]): TiffEntry {
  return { tag, type: tiffTypes.rational, values }
}

/** The TIFF bytes of an EXIF block: header, main directory, and the directories it points to. */
export function buildTiff(directories: TiffDirectories): Buffer {
  const { byteOrder = 'II', main = [], exif, gps, thumbnail } = directories
  const pointers = (exifAt: number, gpsAt: number): readonly TiffEntry[] => [
    ...main,
    ...(exif === undefined ? [] : [long(tags.exifDirectory, exifAt)]),
    ...(gps === undefined ? [] : [long(tags.gpsDirectory, gpsAt)]),
  ]
  // Offsets have a fixed width, so a first pass with zeros gives the sizes.
  const exifAt = 8 + buildDirectory(pointers(0, 0), 8, 0, byteOrder).length
  const exifBytes = exif === undefined ? Buffer.alloc(0) : buildDirectory(exif, exifAt, 0, byteOrder)
  const gpsAt = exifAt + exifBytes.length
  const gpsBytes = gps === undefined ? Buffer.alloc(0) : buildDirectory(gps, gpsAt, 0, byteOrder)
  const secondAt = gpsAt + gpsBytes.length
  const secondBytes = thumbnail === undefined ? Buffer.alloc(0) : buildSecond(thumbnail, secondAt, byteOrder)
  const nextAt = thumbnail === undefined ? 0 : secondAt
  const mainBytes = buildDirectory(pointers(exifAt, gpsAt), 8, nextAt, byteOrder)
  return Buffer.concat([buildHeader(byteOrder), mainBytes, exifBytes, gpsBytes, secondBytes])
}

function buildHeader(byteOrder: ByteOrder): Buffer {
  return Buffer.from(byteOrder === 'II' ? 'II*\0\b\0\0\0' : 'MM\0*\0\0\0\b', 'latin1')
}

function buildSecond(thumbnail: Uint8Array, at: number, byteOrder: ByteOrder): Buffer {
  const build = (offset: number): Buffer => {
    const entries = [long(tags.thumbnailOffset, offset), long(tags.thumbnailLength, thumbnail.length)]
    return buildDirectory(entries, at, 0, byteOrder)
  }
  return Buffer.concat([build(at + build(0).length), thumbnail])
}

/** A directory at offset `at`, followed by its long values. */
function buildDirectory(
  entries: readonly TiffEntry[],
  at: number,
  nextAt: number,
  byteOrder: ByteOrder,
): Buffer {
  const table = Buffer.alloc(2 + entries.length * 12 + 4)
  const view = new DataView(table.buffer, table.byteOffset, table.length)
  const isLittleEndian = byteOrder === 'II'
  const behind: Buffer[] = []
  let behindAt = at + table.length
  view.setUint16(0, entries.length, isLittleEndian)
  for (const [index, entry] of entries.entries()) {
    const entryAt = 2 + index * 12
    const values = buildValues(entry, isLittleEndian)
    view.setUint16(entryAt, entry.tag, isLittleEndian)
    view.setUint16(entryAt + 2, entry.type, isLittleEndian)
    view.setUint32(entryAt + 4, entry.count ?? entry.values.length, isLittleEndian)
    if (entry.offset !== undefined) view.setUint32(entryAt + 8, entry.offset, isLittleEndian)
    else if (values.length <= 4) values.copy(table, entryAt + 8)
    else {
      view.setUint32(entryAt + 8, behindAt, isLittleEndian)
      // TIFF requires even offsets.
      behind.push(values, Buffer.alloc(values.length % 2))
      behindAt += values.length + (values.length % 2)
    }
  }
  view.setUint32(table.length - 4, nextAt, isLittleEndian)
  return Buffer.concat([table, ...behind])
}

function buildValues({ type, values }: TiffEntry, isLittleEndian: boolean): Buffer {
  const size = Math.max(bytesPerValue[type] ?? 1, 1)
  const bytes = Buffer.alloc(size * values.length)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (const [index, value] of values.entries()) {
    const at = index * size
    if (typeof value !== 'number') {
      // Modulo 2^32, so that a signed type reads -1 back.
      view.setUint32(at, value[0], isLittleEndian)
      view.setUint32(at + 4, value[1], isLittleEndian)
    } else if (type === tiffTypes.double) view.setFloat64(at, value, isLittleEndian)
    else if (type === tiffTypes.float) view.setFloat32(at, value, isLittleEndian)
    else if (size === 4) view.setUint32(at, value, isLittleEndian)
    else if (size === 2) view.setUint16(at, value, isLittleEndian)
    else view.setUint8(at, value)
  }
  return bytes
}

/** The four GPS entries of a position in degrees, minutes and seconds, exact to a microsecond of arc. */
export function gpsEntries(lat: number, lon: number): readonly TiffEntry[] {
  return [
    ascii(tags.latitudeReference, lat < 0 ? 'S' : 'N'),
    rationals(tags.latitude, ...toSexagesimal(lat)),
    ascii(tags.longitudeReference, lon < 0 ? 'W' : 'E'),
    rationals(tags.longitude, ...toSexagesimal(lon)),
  ]
}

function toSexagesimal(degrees: number): readonly (readonly [number, number])[] {
  const units = Math.round(Math.abs(degrees) * 1e7)
  const wholeDegrees = Math.floor(units / 1e7)
  // 1e-7 degrees are 360 microseconds of arc. Only integers from here on, so nothing is rounded again.
  const microseconds = (units % 1e7) * 360
  return [
    [wholeDegrees, 1],
    [Math.floor(microseconds / 60e6), 1],
    [microseconds % 60e6, 1e6],
  ]
}

/** An EXIF block with private metadata. */
export function buildPrivateExif(metadata: PrivateMetadata): Buffer {
  const { position, orientation, serialNumber, ownerName, comment, thumbnail, byteOrder } = metadata
  const exif: TiffEntry[] = []
  if (comment !== undefined) {
    const values = [...Buffer.from(`ASCII\0\0\0${comment}`, 'latin1')]
    exif.push({ tag: tags.userComment, type: tiffTypes.undefined, values })
  }
  if (ownerName !== undefined) exif.push(ascii(tags.ownerName, ownerName))
  if (serialNumber !== undefined) exif.push(ascii(tags.serialNumber, serialNumber))
  return buildTiff({
    ...(byteOrder === undefined ? {} : { byteOrder }),
    ...(orientation === undefined ? {} : { main: [short(tags.orientation, orientation)] }),
    ...(exif.length === 0 ? {} : { exif }),
    ...(position === undefined ? {} : { gps: gpsEntries(position.lat, position.lon) }),
    ...(thumbnail === undefined ? {} : { thumbnail }),
  })
}

/** The photo with an EXIF block of this metadata as its first segment. Everything else is unchanged. */
export function writePrivateMetadata(jpeg: Uint8Array, metadata: PrivateMetadata): Buffer {
  return insertSegments(jpeg, [exifSegment(buildPrivateExif(metadata))])
}

export function exifSegment(tiff: Uint8Array): Buffer {
  return segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]))
}

export function xmpSegment(packet: string): Buffer {
  return segment(0xe1, Buffer.from(`http://ns.adobe.com/xap/1.0/\0${packet}`))
}

export function commentSegment(comment: string): Buffer {
  return segment(0xfe, Buffer.from(comment))
}

function segment(marker: number, payload: Uint8Array): Buffer {
  if (payload.length > 65_533) throw new RangeError('a JPEG segment holds at most 65,533 bytes')
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(payload.length + 2, 2)
  return Buffer.concat([head, payload])
}

/** Inserts segments directly after the start marker, as EXIF requires. */
export function insertSegments(jpeg: Uint8Array, segments: readonly Uint8Array[]): Buffer {
  if (jpeg[0] !== 0xff || jpeg[1] !== 0xd8) throw new TypeError('only a JPEG takes segments')
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)])
}

/** An XMP packet as programs write it: the properties are attributes of one Description. */
export function buildXmp(latitude: string, longitude: string): string {
  return wrapXmp(
    `<rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/"` +
      ` exif:GPSLatitude="${latitude}" exif:GPSLongitude="${longitude}"/>`,
  )
}

/** Wraps Descriptions in an XMP packet. */
export function wrapXmp(descriptions: string): string {
  return (
    '<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">' +
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
    `${descriptions}</rdf:RDF></x:xmpmeta><?xpacket end="w"?>`
  )
}
