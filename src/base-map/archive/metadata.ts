// The metadata of an archive: a JSON object, including the attribution.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { inflateMetadata } from './directory.ts'
import type { Header } from './header.ts'
import { readRange, type ArchiveSource } from './source.ts'
import { wrongArchive } from './wrong-archive.ts'

export interface Metadata {
  readonly metadata: Readonly<Record<string, unknown>>
  /** The same text in gzip. */
  readonly packed: Buffer
}

/** @throws Error with one sentence if it is invalid or too long. */
export async function readMetadata(source: ArchiveSource, header: Header): Promise<Metadata> {
  const { offset, bytes } = header.metadata
  const found = await readRange(source, offset, bytes)
  const text = bytes === 0 ? Buffer.from('{}') : await inflateMetadata(found, header.internal)
  try {
    const value: unknown = JSON.parse(text.toString('utf8'))
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('no object')
    const isAsItWas = bytes > 0 && header.internal === 'gzip'
    return {
      metadata: value as Record<string, unknown>,
      packed: isAsItWas ? found : await promisify(gzip)(text),
    }
  } catch {
    throw wrongArchive('The archive is damaged: its metadata is not a JSON object.')
  }
}
