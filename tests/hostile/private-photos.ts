// One photo of each type with a word hidden in every place where cameras, phones and editors store private data.
import { deflateSync } from 'node:zlib'
import type { ImageFormat } from '../../src/shared/formats/image-formats.ts'
import { makeBmp, packRows } from '../helpers/bmp-builder.ts'
import {
  gifApplication,
  gifExtension,
  insertAt,
  jpegSegment,
  pngChunk,
  subBlocks,
  xmpTrailer,
} from '../helpers/containers-fixtures.ts'
import {
  ascii,
  buildTiff,
  buildXmp,
  exifSegment,
  gpsEntries,
  insertSegments,
  xmpSegment,
} from '../helpers/exif-fixtures.ts'
import { gifPicture, jpegPicture, pngPicture } from '../helpers/pictures.ts'

export interface PrivatePhoto {
  readonly type: ImageFormat
  readonly bytes: Buffer
  /** Each is in the bytes, and must not be in anything served. */
  readonly hidden: readonly Buffer[]
}

const size = { width: 60, height: 40 }

function createHiding() {
  const hidden: Buffer[] = []
  const hide = (where: string): string => {
    const word = `HIDDEN-${where}-WORD`
    hidden.push(Buffer.from(word))
    return word
  }
  return { hidden, hide }
}

type Hide = (where: string) => string

const exifTags = {
  imageDescription: 0x010e,
  make: 0x010f,
  model: 0x0110,
  software: 0x0131,
  artist: 0x013b,
  hostComputer: 0x013c,
  copyright: 0x8298,
  imageHistory: 0x9213,
  makerNote: 0x927c,
  userComment: 0x9286,
  imageUniqueId: 0xa420,
  ownerName: 0xa430,
  bodySerial: 0xa431,
  lensModel: 0xa434,
  lensSerial: 0xa435,
} as const

function tiffHiding(hide: Hide, thumbnail: Uint8Array): Buffer {
  const named = (names: readonly (keyof typeof exifTags)[]) =>
    names.map((name) => ascii(exifTags[name], hide(`exif-${name}`)))
  const place = ascii(0x001c, hide('exif-gps-area'))
  return buildTiff({
    main: named(['imageDescription', 'make', 'model', 'software', 'artist', 'hostComputer', 'copyright']),
    exif: named([
      'imageHistory',
      'makerNote',
      'userComment',
      'imageUniqueId',
      'ownerName',
      'bodySerial',
      'lensModel',
      'lensSerial',
    ]),
    gps: [...gpsEntries(45.5231, -122.6765), place],
    thumbnail,
  })
}

const xmpHiding = (hide: Hide): string =>
  buildXmp('45,31.386N', '122,40.59W').replace('<?xpacket end', `<!-- ${hide('xmp')} --><?xpacket end`)

/** A block of Photoshop's, of the kind that holds IPTC: by-line, city, caption. */
const iptc = (word: string): Buffer => {
  const field = Buffer.concat([Buffer.of(0x1c, 2, 80, 0, word.length), Buffer.from(word)])
  const head = Buffer.from('Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0\0', 'latin1')
  head.writeUInt32BE(field.length, head.length - 4)
  return Buffer.concat([head, field])
}

async function privateJpeg(): Promise<PrivatePhoto> {
  const { hidden, hide } = createHiding()
  const thumbnail = await jpegPicture({ width: 16, height: 12, seed: 9 })
  hidden.push(thumbnail.subarray(-60))
  const app = (number: number, signature: string, where: string): Buffer =>
    jpegSegment(0xe0 + number, Buffer.from(`${signature}\0${hide(where)}`, 'latin1'))
  const jfifThumbnail = hide('jfif-thumbnail--').slice(0, 27)
  const photo = insertSegments(await jpegPicture(size), [
    jpegSegment(0xe0, Buffer.from(`JFIF\0\x01\x02\0\0\x48\0\x48\x03\x03${jfifThumbnail}`, 'latin1')),
    app(0, 'JFXX', 'jfxx'),
    exifSegment(tiffHiding(hide, thumbnail)),
    xmpSegment(xmpHiding(hide)),
    app(1, 'http://ns.adobe.com/xmp/extension/', 'xmp-extension'),
    app(1, 'Unknown', 'app1'),
    app(2, 'MPF', 'other-pictures'),
    app(2, 'FPXR', 'flashpix'),
    app(3, 'Meta', 'kodak'),
    app(7, 'Pentax', 'app7'),
    app(11, 'JP', 'content-credentials'),
    app(12, 'Ducky', 'ducky'),
    jpegSegment(0xed, iptc(hide('iptc'))),
    jpegSegment(0xee, Buffer.from(`Adobe\0\x64\0\0\0\0\x01${hide('adobe')}`, 'latin1')),
    app(15, 'Q', 'app15'),
    jpegSegment(0xfe, hide('comment')),
    Buffer.from(hide('stray')),
  ])
  const end = photo.length - 2
  const late = [
    jpegSegment(0xfe, hide('late-comment')),
    jpegSegment(0xe1, Buffer.from(`Exif\0\0${hide('late-exif')}`)),
  ]
  const bytes = Buffer.concat([insertAt(photo, end, ...late), Buffer.from(hide('tail')), thumbnail])
  return {
    type: 'jpeg',
    bytes,
    hidden: hidden.map((word) => (word.toString().includes('jfif') ? Buffer.from(jfifThumbnail) : word)),
  }
}

async function privatePng(): Promise<PrivatePhoto> {
  const { hidden, hide } = createHiding()
  const thumbnail = await jpegPicture({ width: 16, height: 12, seed: 9 })
  hidden.push(thumbnail.subarray(-60))
  const iTXt = (keyword: string, text: string): Buffer => pngChunk('iTXt', `${keyword}\0\0\0\0\0${text}`)
  const chunks = (place: string): Buffer[] => [
    pngChunk(
      'eXIf',
      tiffHiding((where) => hide(`${place}-${where}`), thumbnail),
    ),
    pngChunk('tEXt', `Author\0${hide(`${place}-author`)}`),
    pngChunk('tEXt', `Raw profile type iptc\0\niptc\n${hide(`${place}-iptc`)}`),
    pngChunk('zTXt', Buffer.concat([Buffer.from(`${hide(`${place}-keyword`)}\0\0`), deflateSync('text')])),
    iTXt(
      'XML:com.adobe.xmp',
      xmpHiding((where) => hide(`${place}-${where}`)),
    ),
    iTXt(hide(`${place}-title`), 'text'),
    pngChunk('tIME', Buffer.from(hide(`${place}-t`).slice(0, 7))),
    pngChunk('caBX', hide(`${place}-content-credentials`)),
    pngChunk('prVt', hide(`${place}-editor`)),
    pngChunk('iDOT', hide(`${place}-apple`)),
    pngChunk('sPLT', `${hide(`${place}-palette`)}\0\x08`),
    pngChunk('pHYs', hide(`${place}-density`)),
  ]
  const plain = await pngPicture(size)
  const before = insertAt(
    plain,
    33,
    pngChunk('iCCP', `${hide('profile-name')}\0\0${hide('profile')}`),
    ...chunks('early'),
  )
  const bytes = Buffer.concat([
    insertAt(before, before.length - 12, ...chunks('late')),
    Buffer.from(hide('tail')),
  ])
  const words = hidden.filter((word) => bytes.includes(word)) // tIME holds seven bytes of a word
  return { type: 'png', bytes, hidden: words }
}

async function privateGif(): Promise<PrivatePhoto> {
  const { hidden, hide } = createHiding()
  const extension = (label: number, where: string): Buffer => gifExtension(label, Buffer.from(hide(where)))
  const application = (name: string, where: string): Buffer =>
    gifApplication(name, subBlocks(Buffer.from(hide(where))))
  const plain = await gifPicture(size)
  const start = 13 + 3 * 2 ** (((plain[10] ?? 0) % 8) + 1)
  const photo = insertAt(
    plain,
    start,
    extension(0xfe, 'comment'),
    extension(0x01, 'plain-text'),
    extension(0x77, 'unknown'),
    gifApplication('XMP DataXMP', Buffer.concat([Buffer.from(xmpHiding(hide)), xmpTrailer])),
    application('ImageMagick', 'editor'),
    application('MGK8BIM0000', 'iptc'),
    gifApplication(
      'NETSCAPE2.0',
      Buffer.concat([Buffer.of(3, 1, 0, 0), subBlocks(Buffer.from(hide('loop')))]),
    ),
  )
  const late = insertAt(photo, photo.length - 1, extension(0xfe, 'late-comment'))
  return { type: 'gif', bytes: Buffer.concat([late, Buffer.from(hide('tail'))]), hidden }
}

function privateBmp(): PrivatePhoto {
  const { hidden, hide } = createHiding()
  const gap = Buffer.from(hide('gap'))
  const link = Buffer.from(`${hide('link')}.icc\0`)
  const shape = { width: 60, height: 40, bits: 24 }
  const pixels = packRows(shape, (x, y) => x * 3 + y * 0x300)
  const pixelsEnd = 14 + 124 + gap.length + pixels.length
  const reserved = 0x4e_45_44_48 // HDEN
  const made = makeBmp({
    ...shape,
    headerBytes: 124,
    gap,
    pixels,
    tail: Buffer.concat([link, Buffer.from(hide('tail'))]),
    fields: { 6: reserved, 70: 0x4c494e4b, 126: pixelsEnd - 14, 130: link.length, 134: reserved },
  })
  return { type: 'bmp', bytes: Buffer.from(made), hidden: [...hidden, Buffer.from('HDEN')] }
}

export async function makePrivatePhotos(): Promise<PrivatePhoto[]> {
  const photos: Readonly<Record<ImageFormat, PrivatePhoto>> = {
    jpeg: await privateJpeg(),
    png: await privatePng(),
    gif: await privateGif(),
    bmp: privateBmp(),
  }
  return Object.values(photos)
}
