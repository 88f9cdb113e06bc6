// The tables of a JPEG: which definition is valid for a scan, and which are never used.
import { byteAt, damaged } from '../../container-parts.ts'
import type { Piece } from '../../container-parts.ts'
import { freeBytes } from '../../free-bytes.ts'
import { dcMeaning, progressiveMeaning, readCodes, sequentialMeaning, type Codes } from './jpeg-huffman.ts'
import type { Component, Frame, Scan } from './jpeg-frame.ts'
import {
  huffmanTables,
  quantisationTables,
  restartInterval,
  type Segment,
} from '../../../shared/formats/jpeg-segments.ts'
import { writeSegment } from './jpeg-segments.ts'

/** One table of a segment: the byte that identifies it and its contents. */
interface Definition {
  readonly from: number
  readonly to: number
  /** For Huffman tables, sixteen counts and the symbols. */
  readonly codes: Uint8Array
  isUsed: boolean
}

/** A table segment: only at the end is it known which of its tables are kept. */
export interface TableSegment {
  readonly segment: Segment
  readonly definitions: readonly Definition[]
}

/** The tables needed to follow the coded data. */
export interface ScanTables {
  readonly dc: readonly (Codes | undefined)[]
  readonly ac: readonly (Codes | undefined)[]
  /** Units between two restart markers; 0 if there are none. */
  readonly interval: number
}

const slots = 4
const countBytes = 16
const coefficients = 64
const maxSymbols = 256

/** The four standard tables that decoders use if a file has none, such as a single picture of Motion JPEG. */
const standardTables: readonly (readonly [slot: number, codes: string])[] = [
  [0x00, 'AAEFAQEBAQEBAAAAAAAAAAABAgMEBQYHCAkKCw=='],
  [
    0x10,
    'AAIBAwMCBAMFBQQEAAABfQECAwAEEQUSITFBBhNRYQcicRQygZGhCCNCscEVUtHwJDNicoIJChYXGBkaJSYnKCkqNDU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6g4SFhoeIiYqSk5SVlpeYmZqio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY2drh4uPk5ebn6Onq8fLz9PX29/j5+g==',
  ],
  [0x01, 'AAMBAQEBAQEBAQEAAAAAAAABAgMEBQYHCAkKCw=='],
  [
    0x11,
    'AAIBAgQEAwQHBQQEAAECdwABAgMRBAUhMQYSQVEHYXETIjKBCBRCkaGxwQkjM1LwFWJy0QoWJDThJfEXGBkaJicoKSo1Njc4OTpDREVGR0hJSlNUVVZXWFlaY2RlZmdoaWpzdHV2d3h5eoKDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uLj5OXm5+jp6vLz9PX29/j5+g==',
  ],
]

export function createTables(bytes: Uint8Array) {
  const quantisation = new Map<number, Definition>()
  const huffman = new Map<number, Definition>()
  /** Decoders keep the quantisation table that was valid at the first scan of a component. */
  const latched = new Set<Component>()
  const allCodes: Codes[] = []
  let restart: Definition | undefined

  function readQuantisation(segment: Segment): Definition[] {
    const definitions: Definition[] = []
    let at = segment.body
    while (at < segment.to) {
      const name = byteAt(bytes, at)
      const to = at + 1 + (name >> 4 === 0 ? coefficients : 2 * coefficients)
      if ((name & 15) >= slots || to > segment.to) {
        throw damaged('A quantisation table of the JPEG is invalid.')
      }
      const definition = { from: at, to, codes: bytes.subarray(at + 1, to), isUsed: false }
      quantisation.set(name & 15, definition)
      definitions.push(definition)
      at = to
    }
    return definitions
  }

  function readHuffman(segment: Segment): Definition[] {
    const definitions: Definition[] = []
    let at = segment.body
    while (at < segment.to) {
      const name = byteAt(bytes, at)
      let symbols = 0
      for (let index = 1; index <= countBytes; index += 1) symbols += byteAt(bytes, at + index)
      const to = at + 1 + countBytes + symbols
      const isSlot = name >> 4 <= 1 && (name & 15) < slots
      if (!isSlot || symbols > maxSymbols || to > segment.to) {
        throw damaged('A Huffman table of the JPEG is invalid.')
      }
      const definition = { from: at, to, codes: bytes.subarray(at + 1, to), isUsed: false }
      huffman.set(name, definition)
      definitions.push(definition)
      at = to
    }
    return definitions
  }

  function readRestart({ body, to }: Segment): Definition[] {
    if (to - body !== 2) throw damaged('The restart interval of the JPEG has an invalid length.')
    restart = { from: body, to, codes: bytes.subarray(body, to), isUsed: false }
    return [restart]
  }

  function codesOf(name: number, frame: Frame): Codes {
    let definition = huffman.get(name)
    if (definition === undefined && !frame.isProgressive) {
      const standard = standardTables.find(([slot]) => slot === name)
      const codes = standard && Buffer.from(standard[1], 'base64')
      definition = codes && { from: 0, to: 0, codes, isUsed: true }
    }
    if (definition === undefined) throw damaged('A scan of the JPEG refers to a missing table.')
    definition.isUsed = true
    const acMeaning = frame.isProgressive ? progressiveMeaning : sequentialMeaning
    const codes = readCodes(definition.codes, name < 0x10 ? dcMeaning : acMeaning)
    allCodes.push(codes)
    return codes
  }

  return {
    read: (segment: Segment): TableSegment => {
      const readers: Readonly<Record<number, (segment: Segment) => Definition[]>> = {
        [quantisationTables]: readQuantisation,
        [huffmanTables]: readHuffman,
        [restartInterval]: readRestart,
      }
      return { segment, definitions: readers[segment.marker]?.(segment) ?? [] }
    },

    /** The tables valid for the scan, which are marked as used. */
    take: ({ components, first, highBit }: Scan, frame: Frame): ScanTables => {
      for (const { component } of components) {
        if (latched.has(component)) continue
        latched.add(component)
        const definition = quantisation.get(component.quantisation)
        if (definition === undefined)
          throw damaged('A colour component of the JPEG refers to a missing table.')
        // The format does not allow 0. It would erase every value of its coefficient, which could then hide a
        // megabyte of text.
        if (hasZero(definition)) throw damaged('A quantisation table of the JPEG is invalid.')
        definition.isUsed = true
      }
      const needsDc = first === 0 && highBit === 0
      const needsAc = !frame.isProgressive || first > 0
      if (restart !== undefined) restart.isUsed = true
      const made = new Map<number, Codes>()
      const codes = (name: number): Codes => {
        const known = made.get(name) ?? codesOf(name, frame)
        made.set(name, known)
        return known
      }
      return {
        dc: components.map(({ dcTable }) => (needsDc ? codes(dcTable) : undefined)),
        ac: components.map(({ acTable }) => (needsAc ? codes(0x10 + acTable) : undefined)),
        interval: restart === undefined ? 0 : byteAt(restart.codes, 0) * 256 + byteAt(restart.codes, 1),
      }
    },

    /** Frees the tables when all scans are done: a third of a megabyte each. */
    free: (): void => {
      for (const { short, long, lengths } of allCodes)
        for (const table of [short, long, lengths]) freeBytes(table)
    },
  }
}

/** 8 or 16 bits per coefficient, depending on its length. */
function hasZero({ codes }: Definition): boolean {
  const isWide = codes.length > coefficients
  return codes.some((byte, index) => byte === 0 && (!isWide || (index % 2 === 0 && codes[index + 1] === 0)))
}

/** The part of a segment that is kept: the tables that a scan used, in a new segment if that is not all of them. */
export function usedTables(bytes: Uint8Array, { segment, definitions }: TableSegment): Piece | undefined {
  const used = definitions.filter(({ isUsed }) => isUsed)
  if (used.length === 0) return undefined
  if (used.length === definitions.length) return { from: segment.from, to: segment.to }
  return writeSegment(segment.marker, ...used.map(({ from, to }) => bytes.subarray(from, to)))
}
