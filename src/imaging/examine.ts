// The whole work on one upload: its bytes in, its facts and renditions out.
import { createHash } from 'node:crypto'
import { Refusal } from '../errors.ts'
import type { ImageLimits } from './image-limits.ts'
import { inspect, readMetadata, type Takes } from './inspect.ts'
import { drawMarks } from './marks.ts'
import type { DrawnMarks, Failed, MadeRendition, MadeWebp, MetadataRead, Outcome } from './outcome.ts'
import { makeSmallSizes, makeWebpSizes, type SmallRendition } from './resize.ts'

function rendition({ name, bytes }: SmallRendition): MadeRendition {
  return { name, bytes, digest: createHash('sha256').update(bytes).digest('hex') }
}

function failed(error: unknown): Failed {
  if (error instanceof Refusal) return { ok: false, code: error.code, detail: error.detail }
  // A file that triggers a bug of ours must not cause a 500: it is refused and logged.
  const fault = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { ok: false, code: 'broken-image', detail: 'The image could not be processed.', fault }
}

/** Inspects, decodes once and makes every size. Never rejects, for any bytes. */
export async function examine(
  bytes: Uint8Array,
  limits: ImageLimits,
  takes: Takes = 'any',
): Promise<Outcome> {
  try {
    const { large, largePieces, source, ...facts } = await inspect(bytes, limits, takes)
    const { sizes, dhash } = await makeSmallSizes(source)
    const renditions = [{ name: 'lg', bytes: large }, ...sizes].map(rendition)
    return { ok: true, examined: { ...facts, dhash, renditions }, largePieces }
  } catch (error) {
    return failed(error)
  }
}

/** Reads the metadata, and decodes nothing. Never throws. */
export function examineMetadata(bytes: Uint8Array, limits: ImageLimits): MetadataRead | Failed {
  try {
    return { ok: true, metadata: readMetadata(bytes, limits) }
  } catch (error) {
    return failed(error)
  }
}

/** Makes the pictures of the site. Never rejects, for any bytes. */
export async function makeMarks(bytes: Uint8Array, limits: ImageLimits): Promise<DrawnMarks | Failed> {
  try {
    return { ok: true, marks: await drawMarks(bytes, limits) }
  } catch (error) {
    return failed(error)
  }
}

/** Makes the small sizes in WebP from the stored base. Never rejects. */
export async function makeWebp(base: Uint8Array): Promise<MadeWebp | Failed> {
  try {
    return { ok: true, sizes: (await makeWebpSizes(base)).map(rendition) }
  } catch (error) {
    return failed(error)
  }
}
