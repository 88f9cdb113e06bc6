// Reads and writes marker segments of a JPEG: a file with an invalid or truncated one is refused.
import { damaged } from '../../container-parts.ts'
import { endOfImage, findSegment, startOfImage, type Segment } from '../../../shared/formats/jpeg-segments.ts'

/** @throws refusal `broken-image`; undefined when the file ends before a marker. */
export function nextSegment(bytes: Uint8Array, at: number): Segment | undefined {
  const segment = findSegment(bytes, at)
  if (segment === undefined || segment.marker === endOfImage) return segment
  if (segment.marker === startOfImage) throw damaged('The JPEG has a second start marker.')
  if (segment.body > bytes.length) throw damaged('The file ends too early.')
  if (segment.to < segment.body) throw damaged('A segment of the JPEG has an invalid length.')
  if (segment.to > bytes.length) throw damaged('The JPEG is truncated within a segment.')
  return segment
}

/** A new segment. */
export function writeSegment(marker: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 2)
  return Buffer.concat([Uint8Array.of(0xff, marker, length >> 8, length & 255), ...parts])
}
