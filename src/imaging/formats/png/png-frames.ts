// Cuts the pixel data of a PNG to its pixels, for the picture and for each frame.
import { createDeflate, createInflate } from 'node:zlib'
import { damaged, readUint32, substitute, type Container, type Substitution } from '../../container-parts.ts'
import { listRows, palette, readChunk, readIhdr, writeChunk } from './png-chunks.ts'
import type { Chunk, PngHeader } from './png-chunks.ts'
import { createRowReader, type RowReader } from './png-pixel-rows.ts'

interface Frame {
  readonly width: number
  readonly height: number
  /** IDAT, or fdAT, whose data starts with a sequence number of 4 bytes. */
  readonly chunks: Chunk[]
}

/** The chunks that hold pixels or define their colours. */
interface Picture {
  readonly header: PngHeader
  readonly still: Frame
  readonly later: readonly Frame[]
  readonly colours: Chunk | undefined
  readonly transparency: Chunk | undefined
  /** acTL, fcTL and fdAT, in order. */
  readonly animation: readonly Chunk[]
}

/** Inflated bytes held at a time. */
const portionBytes = 262_144

/**
 * The container of a PNG, which `walk` read from these `bytes`, without unused data: bytes after the compressed
 * stream, rows outside the picture, padding bits of rows, colours that no pixel uses. Compressed data without any of
 * these stays unchanged; otherwise the stream is written again with the same rows and filters. An animation with
 * incomplete frames is dropped: viewers then show the still picture. Refuses with `broken-image` a PNG whose still
 * picture is incomplete. Needs little more memory than the file, however large the picture.
 */
export async function trimPixelData(bytes: Uint8Array, container: Container): Promise<Container> {
  if (container.type !== 'png') return container
  const picture = readPicture(bytes, container.isAnimatedPng === true)
  const still = await trimFrame(bytes, picture.header, picture.still)
  const stillPixels = substituteStill(bytes, picture.still, still)
  const later: Trimmed[] = []
  try {
    for (const frame of picture.later) later.push(await trimFrame(bytes, picture.header, frame))
  } catch {
    const dropped = picture.animation.map(({ from, to }) => ({ from, to, bytes: undefined }))
    const rest = apply(container, [...dropped, ...stillPixels, ...substituteColours(bytes, picture, [still])])
    return { ...container, frames: 1, isAnimatedPng: false, rest }
  }
  const rest = apply(container, [
    ...stillPixels,
    ...substituteFrames(bytes, picture, later),
    ...substituteColours(bytes, picture, [still, ...later]),
  ])
  return { ...container, rest }
}

function apply({ rest }: Container, substitutions: readonly Substitution[]): Container['rest'] {
  return substitutions.length === 0
    ? rest
    : substitute(
        rest,
        substitutions.toSorted((one, other) => one.from - other.from),
      )
}

function readPicture(bytes: Uint8Array, isAnimated: boolean): Picture {
  const header = readIhdr(bytes)
  const still: Frame = { width: header.width, height: header.height, chunks: [] }
  const later: Frame[] = []
  const animation: Chunk[] = []
  const [first, seen] = [new Map<string, Chunk>(), { still: false }]
  let at = header.to
  // If the end marker is missing, fewer bytes than a chunk are left.
  while (at + 12 <= bytes.length) {
    const chunk = readChunk(bytes, at)
    if (chunk.type === 'IEND') break
    if (chunk.type === 'IDAT') {
      still.chunks.push(chunk)
      seen.still = true
    } else if (chunk.type === 'PLTE' || chunk.type === 'tRNS') {
      if (!first.has(chunk.type)) first.set(chunk.type, chunk)
    } else if (isAnimated && (chunk.type === 'acTL' || chunk.type === 'fcTL' || chunk.type === 'fdAT')) {
      if (chunk.type !== 'acTL' || !seen.still) animation.push(chunk)
      if (chunk.type === 'fcTL' && seen.still) {
        const width = readUint32(bytes, chunk.body + 4)
        later.push({ width, height: readUint32(bytes, chunk.body + 8), chunks: [] })
      } else if (chunk.type === 'fdAT') {
        later.at(-1)?.chunks.push(chunk)
      }
    }
    at = chunk.to
  }
  return { header, still, later, animation, colours: first.get('PLTE'), transparency: first.get('tRNS') }
}

/** A frame after reading: what to do with its compressed data. */
interface Trimmed {
  /** The compressed data to write if the frame contains more than its pixels; otherwise undefined. */
  readonly data: Uint8Array | undefined
  readonly usedColours: Uint8Array | undefined
}

async function trimFrame(bytes: Uint8Array, header: PngHeader, frame: Frame): Promise<Trimmed> {
  const skipped = frame.chunks[0]?.type === 'fdAT' ? 4 : 0
  const [only] = frame.chunks
  const data =
    only !== undefined && frame.chunks.length === 1
      ? bytes.subarray(only.body + skipped, only.bodyEnd)
      : Buffer.concat(frame.chunks.map(({ body, bodyEnd }) => bytes.subarray(body + skipped, bodyEnd)))
  const runs = listRows(header, frame.width, frame.height)
  const needed = runs.reduce((sum, { rows, rowBytes }) => sum + rows * rowBytes, 0)
  const reader = (): RowReader | undefined =>
    header.bitDepth < 8 || header.colourType === palette ? createRowReader(runs, header.bitDepth) : undefined
  const first = reader()
  const { hasMore, consumed } = await inflateRows(data, needed, (portion) => first?.read(portion))
  const usedColours = header.colourType === palette ? first?.usedColours() : undefined
  if (hasMore || first?.findings.hasSpareBits === true) {
    return { data: await writeAnew(data, needed, reader()), usedColours }
  }
  return { data: consumed < data.length ? data.subarray(0, consumed) : undefined, usedColours }
}

/** Calls back with the bytes of all rows. @throws refusal `broken-image` if the stream has fewer. */
async function inflateRows(
  data: Uint8Array,
  needed: number,
  take: (portion: Uint8Array) => void | Promise<void>,
): Promise<{ hasMore: boolean; consumed: number }> {
  const inflate = createInflate({ chunkSize: portionBytes })
  inflate.end(data)
  let inflated = 0
  try {
    for await (const portion of inflate as AsyncIterable<Uint8Array>) {
      const missing = needed - inflated
      inflated += portion.length
      await take(portion.subarray(0, missing))
      // Leaving the loop stops inflating: a zip bomb costs no more than the picture that it claims to be.
      if (inflated > needed) return { hasMore: true, consumed: data.length }
    }
  } catch (error) {
    throw damaged(isCut(error) ? 'Its pixel data is truncated.' : 'Its pixel data is damaged.')
  }
  if (inflated < needed) throw damaged('Its pixel data is truncated.')
  return { hasMore: false, consumed: inflate.bytesWritten }
}

function isCut(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR'
}

/** The same rows in a new stream. */
async function writeAnew(
  data: Uint8Array,
  needed: number,
  reader: RowReader | undefined,
): Promise<Uint8Array> {
  const deflate = createDeflate()
  const written: Uint8Array[] = []
  const collected = (async () => {
    for await (const portion of deflate as AsyncIterable<Uint8Array>) written.push(portion)
  })()
  await inflateRows(data, needed, async (portion) => {
    reader?.read(portion)
    if (deflate.write(portion)) return
    await new Promise((resume) => deflate.once('drain', resume))
  })
  deflate.end()
  await collected
  return Buffer.concat(written)
}

function substituteStill(bytes: Uint8Array, { chunks }: Frame, { data }: Trimmed): Substitution[] {
  const [first, last] = [chunks[0], chunks.at(-1)]
  if (data === undefined || first === undefined || last === undefined) return []
  // Image data is one run of chunks. Chunks that are still full stay as they are.
  let [from, at] = [first.from, 0]
  for (const { body, bodyEnd, to } of chunks) {
    const end = at + bodyEnd - body
    if (end > data.length || !isSame(bytes.subarray(body, bodyEnd), data.subarray(at, end))) break
    ;[from, at] = [to, end]
  }
  const left = data.subarray(at)
  return [{ from, to: last.to, bytes: left.length === 0 ? undefined : writeChunk('IDAT', left) }]
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}

/** Each changed frame becomes one chunk, and then all are renumbered. */
function substituteFrames(bytes: Uint8Array, picture: Picture, later: readonly Trimmed[]): Substitution[] {
  if (later.every(({ data }) => data === undefined)) return []
  const dataOf = new Map<Chunk, Uint8Array | undefined>()
  for (const [index, { data }] of later.entries()) {
    if (data === undefined) continue
    for (const [order, chunk] of (picture.later[index]?.chunks ?? []).entries())
      dataOf.set(chunk, order === 0 ? data : undefined)
  }
  const substitutions: Substitution[] = []
  let sequence = 0
  for (const chunk of picture.animation) {
    if (chunk.type === 'acTL') continue
    const { from, to } = chunk
    if (dataOf.has(chunk) && dataOf.get(chunk) === undefined) {
      substitutions.push({ from, to, bytes: undefined })
      continue
    }
    const body = dataOf.get(chunk) ?? bytes.subarray(chunk.body + 4, chunk.bodyEnd)
    const numbered = new Uint8Array(4 + body.length)
    new DataView(numbered.buffer).setUint32(0, sequence)
    numbered.set(body, 4)
    substitutions.push({ from, to, bytes: writeChunk(chunk.type, numbered) })
    sequence += 1
  }
  return substitutions
}

/** Unused entries become black and opaque; those after the last one used are removed. */
function substituteColours(
  bytes: Uint8Array,
  { header, colours, transparency }: Picture,
  frames: readonly Trimmed[],
): Substitution[] {
  if (header.colourType !== palette) return []
  const isUsed = (index: number): boolean => frames.some(({ usedColours }) => usedColours?.[index] === 1)
  let count = 256
  while (count > 1 && !isUsed(count - 1)) count -= 1
  const clean = (chunk: Chunk, entryBytes: number, unused: number): Substitution[] => {
    const { from, to, body, bodyEnd, type } = chunk
    const old = bytes.subarray(body, bodyEnd)
    const entries = new Uint8Array(old.subarray(0, count * entryBytes)) // a copy; Buffer.slice() would not be one
    for (let index = 0; index < count; index += 1) {
      if (!isUsed(index)) entries.fill(unused, index * entryBytes, (index + 1) * entryBytes)
    }
    return isSame(old, entries) ? [] : [{ from, to, bytes: writeChunk(type, entries) }]
  }
  return [
    ...(colours === undefined ? [] : clean(colours, 3, 0)),
    ...(transparency === undefined ? [] : clean(transparency, 1, 255)),
  ]
}
