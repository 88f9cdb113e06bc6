// Rebuilds a colour profile from what colour conversion needs: profiles contain serial numbers, names and free text.
import { latin1, standsAt } from '../../../shared/formats/bytes.ts'
import { cleanTable } from './icc-tables.ts'

const headerBytes = 128
const signatureAt = 36
const signature = latin1('acsp')
/** The maximum number of tags for lcms, which treats a profile with more as broken. */
const maxTags = 100

/** Input, display, output and colour space; other classes (links, named colours …) describe no picture. */
const classes: ReadonlySet<string> = new Set(['scnr', 'mntr', 'prtr', 'spac'])
const channelsOf: ReadonlyMap<string, number> = new Map([
  ['GRAY', 1],
  ['RGB ', 3],
  ['CMYK', 4],
])
const connectionSpaces: ReadonlySet<string> = new Set(['XYZ ', 'Lab '])
const connectionChannels = 3

const toConnection: ReadonlySet<string> = new Set(['A2B0', 'A2B1', 'A2B2'])
/** Viewers that adapt a printer profile's black point convert in both directions. */
const fromConnection: ReadonlySet<string> = new Set(['B2A0', 'B2A1', 'B2A2'])
const primaries: readonly string[] = ['rXYZ', 'gXYZ', 'bXYZ']
const colourCurves: readonly string[] = ['rTRC', 'gTRC', 'bTRC']

/** The required type of a tag's data. */
const simpleTags: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['wtpt', ['XYZ ']],
  ['chad', ['sf32']],
  ['cicp', ['cicp']],
  ['kTRC', ['curv', 'para']],
  ...primaries.map((tag): [string, string[]] => [tag, ['XYZ ']]),
  ...colourCurves.map((tag): [string, string[]] => [tag, ['curv', 'para']]),
])
const toConnectionTypes: ReadonlySet<string> = new Set(['mft1', 'mft2', 'mAB '])
const fromConnectionTypes: ReadonlySet<string> = new Set(['mft1', 'mft2', 'mBA '])

/** Both texts are required, and both may contain names; rendering a picture uses neither. */
const neutralText = 'Colour profile'
const textTags = ['desc', 'cprt'] as const

interface Tag {
  readonly name: string
  readonly data: Uint8Array
}

/** For pictures that are decoded to red, green and blue, whatever their encoding. */
export function rgbProfile(profile: Uint8Array): Uint8Array | undefined {
  return profile.length >= headerBytes && textAt(profile, 16) === 'RGB '
    ? cleanIccProfile(profile)
    : undefined
}

/**
 * The same colours and nothing else: only the tags that convert the picture's colours to the screen and back, each
 * cut to what its type defines; a header without manufacturers, models and dates; fixed texts; no gaps.
 * @returns undefined if the profile cannot render a picture. It changes no colours then, and is to be dropped.
 */
export function cleanIccProfile(profile: Uint8Array): Uint8Array | undefined {
  if (profile.length < headerBytes + 4 || !standsAt(profile, signatureAt, signature)) return undefined
  const view = new DataView(profile.buffer, profile.byteOffset, profile.byteLength)
  const length = view.getUint32(0)
  if (length < headerBytes + 4 || length > profile.length) return undefined
  const space = textAt(profile, 16)
  const channels = channelsOf.get(space)
  const isOfPicture = classes.has(textAt(profile, 12)) && connectionSpaces.has(textAt(profile, 20))
  const version = profile[8] ?? 0
  if (channels === undefined || !isOfPicture || version < 2 || version > 4) return undefined
  const tags = readTags(profile.subarray(0, length), channels)
  if (tags === undefined || !isComplete(tags, space)) return undefined
  const texts = textTags.map((name) => ({ name, data: textData(name, version) }))
  const rebuilt = write(cleanHeader(profile), [...texts, ...tags])
  // Overlapping tags would each be written in full. Profiles of cameras and editors have none.
  return rebuilt.length > length + 512 ? undefined : rebuilt
}

function textAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4))
}

/** The tags that are needed, cleaned; undefined if the tag table or one of the large tables is broken. */
function readTags(profile: Uint8Array, channels: number): Tag[] | undefined {
  const view = new DataView(profile.buffer, profile.byteOffset, profile.byteLength)
  const count = view.getUint32(headerBytes)
  if (count > maxTags || headerBytes + 4 + 12 * count > profile.length) return undefined
  const tags: Tag[] = []
  const seen = new Set<string>()
  const shared = new Map<string, Uint8Array>()
  for (let index = 0; index < count; index += 1) {
    const entry = headerBytes + 4 + 12 * index
    const name = textAt(profile, entry)
    if (seen.has(name)) return undefined
    seen.add(name)
    const from = view.getUint32(entry + 4)
    const to = from + view.getUint32(entry + 8)
    if (to > profile.length) continue // decoders ignore it
    const isLut = toConnection.has(name) || fromConnection.has(name)
    const place = `${from} ${to} ${isLut ? name.slice(0, 3) : ''}`
    const data = shared.get(place) ?? cleanTag(name, profile.subarray(from, to), channels)
    if (data !== undefined) {
      shared.set(place, data)
      tags.push({ name, data })
    } else if (isLut) {
      return undefined
    }
  }
  return tags
}

function cleanTag(name: string, data: Uint8Array, channels: number): Uint8Array | undefined {
  if (data.length < 8) return undefined
  const type = textAt(data, 0)
  if (toConnection.has(name)) {
    return toConnectionTypes.has(type) ? cleanTable(type, data, channels, connectionChannels) : undefined
  }
  if (fromConnection.has(name)) {
    return fromConnectionTypes.has(type) ? cleanTable(type, data, connectionChannels, channels) : undefined
  }
  return simpleTags.get(name)?.includes(type) === true ? cleanTable(type, data, 1, 1) : undefined
}

/** Whether the tags are sufficient: a table, or curves and primaries. */
function isComplete(tags: readonly Tag[], space: string): boolean {
  const has = (name: string): boolean => tags.some((tag) => tag.name === name)
  if (has('A2B0')) return true
  if (space === 'GRAY') return has('kTRC')
  return space === 'RGB ' && [...primaries, ...colourCurves].every(has)
}

/** From the header: version, class, colour spaces and rendering intent. The rest is filled with neutral values. */
function cleanHeader(profile: Uint8Array): Uint8Array {
  const header = new Uint8Array(headerBytes)
  header.set(profile.subarray(8, 10), 8)
  header.set(profile.subarray(12, 24), 12)
  header.set([0x07, 0xd0, 0, 1, 0, 1], 24) // 1 January 2000
  header.set(signature, signatureAt)
  header[67] = (profile[67] ?? 0) & 3
  header.set([0, 0, 0xf6, 0xd6, 0, 1, 0, 0, 0, 0, 0xd3, 0x2d], 68) // the reference illuminant of all profiles
  return header
}

function textData(name: (typeof textTags)[number], version: number): Uint8Array {
  const text = latin1(neutralText)
  if (version >= 4) {
    const wide = Uint8Array.from(neutralText, (_, index) => text[index] ?? 0)
    const utf16 = Uint8Array.from([...wide].flatMap((byte) => [0, byte]))
    const record = [0, 0, 0, 1, 0, 0, 0, 12, ...latin1('enUS'), 0, 0, 0, utf16.length, 0, 0, 0, 28]
    return Uint8Array.from([...latin1('mluc'), 0, 0, 0, 0, ...record, ...utf16])
  }
  if (name === 'cprt') return Uint8Array.from([...latin1('text'), 0, 0, 0, 0, ...text, 0])
  // The ASCII text with its length; then no Unicode text (8 bytes) and no text for Macintosh (70 bytes).
  const rest = new Uint8Array(78)
  return Uint8Array.from([...latin1('desc'), 0, 0, 0, 0, 0, 0, 0, text.length + 1, ...text, 0, ...rest])
}

/** The header, the tag table, and the data: shared data once, each part aligned to four bytes. */
function write(header: Uint8Array, tags: readonly Tag[]): Uint8Array {
  const places = new Map<Uint8Array, number>()
  let end = headerBytes + 4 + 12 * tags.length
  for (const { data } of tags) {
    if (places.has(data)) continue
    places.set(data, end)
    end += Math.ceil(data.length / 4) * 4
  }
  const profile = new Uint8Array(end)
  const view = new DataView(profile.buffer)
  profile.set(header)
  view.setUint32(0, end)
  view.setUint32(headerBytes, tags.length)
  for (const [index, { name, data }] of tags.entries()) {
    const entry = headerBytes + 4 + 12 * index
    profile.set(latin1(name), entry)
    view.setUint32(entry + 4, places.get(data) ?? 0)
    view.setUint32(entry + 8, data.length)
  }
  for (const [data, at] of places) profile.set(data, at)
  return profile
}
