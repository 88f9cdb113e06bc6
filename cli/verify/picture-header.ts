// What the first bytes of a picture say of it: type and dimensions. Not the server's own reader, whose faults it would share.

export interface PictureHeader {
  readonly mimeType: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/bmp'
  readonly width: number
  readonly height: number
}

const jpegStart = 0xffd8
/** Start of frame, of whatever process: these markers but for three that mean something else. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
const standsAlone = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)

function readJpeg(bytes: Buffer): PictureHeader | undefined {
  let at = 2
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xff) at += 1
    else if (standsAlone(marker)) at += 2
    else if (isFrame(marker))
      return { mimeType: 'image/jpeg', height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    else at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

/** @returns undefined where it is none of the four types, or its dimensions cannot be read. */
export function readPictureHeader(bytes: Buffer): PictureHeader | undefined {
  if (bytes.length < 26) return undefined
  const start = bytes.toString('latin1', 0, 8)
  if (bytes.readUInt16BE(0) === jpegStart) return readJpeg(bytes)
  if (start === '\u0089PNG\r\n\u001A\n')
    return { mimeType: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  if (start.startsWith('GIF8'))
    return { mimeType: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
  if (!start.startsWith('BM')) return undefined
  const isOldest = bytes.readUInt32LE(14) === 12 // the header of OS/2 has 16 bits a side
  return isOldest
    ? { mimeType: 'image/bmp', width: bytes.readUInt16LE(18), height: bytes.readUInt16LE(20) }
    : // A negative height says that the rows begin at the top.
      { mimeType: 'image/bmp', width: bytes.readInt32LE(18), height: Math.abs(bytes.readInt32LE(22)) }
}
