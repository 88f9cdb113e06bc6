// Finds the files for `waymark upload` and reads each once: hashed while reading, and refused locally if it cannot be
// a photo.
import { createHash } from 'node:crypto'
import { open, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import type { ImageDetails } from '../../client/client.ts'
import { uploadFormatOf, uploadFormats } from '../../src/shared/formats/converted-formats.ts'
import { fail } from '../failures.ts'
import { counted } from '../output.ts'

/** File extensions of photos. The content determines the format: a messenger may name a jpg `.heic`. */
const extensions: ReadonlySet<string> = new Set(
  Object.values(uploadFormats).flatMap((format) => format.extensions),
)
const hasPhotoName = (name: string): boolean => extensions.has(path.extname(name).slice(1).toLowerCase())
const formats = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
  Object.values(uploadFormats).map(({ name }) => name),
)

export interface FoundFile {
  readonly file: string
  /** Why it is left out: every file is reported, except hidden ones. */
  readonly skipped?: string
  /** Why it is refused before it is read. */
  readonly refused?: string
  readonly details?: ImageDetails
}

const isHidden = (name: string): boolean => name.startsWith('.')

/** The same order on every machine. */
const inOrder = (one: { readonly name: string }, other: { readonly name: string }): number =>
  one.name.localeCompare(other.name, 'en') || (one.name < other.name ? -1 : 1)

async function inFolder(folder: string, isRecursive: boolean): Promise<FoundFile[]> {
  const entries = (await readdir(folder, { withFileTypes: true })).toSorted(inOrder)
  const found: FoundFile[] = []
  for (const entry of entries) {
    if (isHidden(entry.name)) continue
    const file = path.join(folder, entry.name)
    if (entry.isDirectory()) {
      if (isRecursive) found.push(...(await inFolder(file, isRecursive)))
      else found.push({ file, skipped: 'It is a folder (--no-recursive).' })
    } else if (!entry.isFile()) found.push({ file, skipped: 'It is not a regular file.' })
    else if (hasPhotoName(entry.name)) found.push({ file })
    else found.push({ file, skipped: 'Its file name is not that of a photo.' })
  }
  return found
}

/**
 * Files are taken as named; from folders, only visible files with a photo extension.
 * @throws one sentence if a path does not exist.
 */
export async function findFiles(paths: readonly string[], isRecursive: boolean): Promise<FoundFile[]> {
  const found: FoundFile[] = []
  for (const given of paths) {
    const facts = await stat(given).catch(() => undefined)
    if (facts === undefined) throw fail('wrong-file', `${given} does not exist.`)
    if (facts.isDirectory()) found.push(...(await inFolder(given, isRecursive)))
    else found.push({ file: given })
  }
  return found
}

export interface PhotoFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Hex. */
  readonly sha256: string
}

/**
 * @param maxBytes the server's limit for one photo.
 * @returns the photo, or why it cannot be one. Reading stops soon after the limit.
 */
export async function readPhoto(file: string, maxBytes: number): Promise<PhotoFile | string> {
  // Opening a pipe blocks until the other end is opened, and cannot be cancelled.
  if (!(await stat(file)).isFile()) return 'It is not a regular file.'
  const handle = await open(file)
  try {
    const hash = createHash('sha256')
    const chunks: Buffer[] = []
    let length = 0
    for await (const chunk of handle.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > maxBytes) return `It is larger than this server accepts (${counted(maxBytes, 'byte')}).`
      hash.update(chunk)
      chunks.push(chunk)
    }
    if (length === 0) return 'It is empty.'
    const bytes = new Uint8Array(Buffer.concat(chunks))
    return uploadFormatOf(bytes) ? { bytes, sha256: hash.digest('hex') } : `It is not a ${formats} file.`
  } finally {
    await handle.close()
  }
}
