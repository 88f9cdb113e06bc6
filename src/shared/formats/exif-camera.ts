// Reads out of an EXIF block when and with what a photo was taken, for people to recognise it; nothing is decided by it.
import { openTiff, readDirectory, readInteger, readText } from './tiff.ts'

export interface CameraFacts {
  /** The camera's clock, `2026-05-14T09:08:07`; with `+02:00` if the file has the offset. */
  readonly takenAt?: string
  /** Make and model, as one name. */
  readonly camera?: string
}

const makeTag = 0x010f
const modelTag = 0x0110
const exifDirectoryTag = 0x8769
const takenTag = 0x9003
const offsetTag = 0x9011

/** Takes the TIFF bytes of an EXIF block; never throws. */
export function readCamera(bytes: Uint8Array): CameraFacts {
  const tiff = openTiff(bytes)
  if (tiff === undefined) return {}
  const main = readDirectory(tiff, tiff.view.getUint32(4, tiff.isLittleEndian), [
    makeTag,
    modelTag,
    exifDirectoryTag,
  ])
  const camera = nameOf(readText(tiff, main.get(makeTag)).trim(), readText(tiff, main.get(modelTag)).trim())
  const exifAt = readInteger(tiff, main.get(exifDirectoryTag))
  const exif = exifAt === undefined ? undefined : readDirectory(tiff, exifAt, [takenTag, offsetTag])
  const takenAt = timestampOf(readText(tiff, exif?.get(takenTag)), readText(tiff, exif?.get(offsetTag)))
  return { ...(camera === '' ? {} : { camera }), ...(takenAt === undefined ? {} : { takenAt }) }
}

/** Makers write their name into the model, too, or not: "Canon" and "Canon EOS R6" is one camera. */
function nameOf(make: string, model: string): string {
  const isNamed = model.toLowerCase().startsWith(make.toLowerCase())
  return isNamed ? model : `${make} ${model}`.trim()
}

/** "2026:05:14 09:08:07"; blanks and zeros mean that the clock was never set. */
function timestampOf(text: string, offset: string): string | undefined {
  const [, year, month, day, time] = /^(\d{4}):(\d\d):(\d\d) (\d\d:\d\d:\d\d)/.exec(text) ?? []
  if (year === undefined || Number(year) < 1900) return undefined
  const timestamp = `${year}-${month}-${day}T${time}`
  if (Number.isNaN(Date.parse(`${timestamp}Z`))) return undefined
  return /^[+-]\d\d:\d\d$/.test(offset) ? timestamp + offset : timestamp
}
