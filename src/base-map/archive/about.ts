// Describes a map file by its header, for the admin page and `waymark doctor`.
import type { SiteMapFile } from '../../shared/v2/site-map-schemas.ts'
import { firstBytes, readHeader, type Header } from './header.ts'
import { readMetadata } from './metadata.ts'
import { openFileSource, readRange } from './source.ts'
import { wrongArchive } from './wrong-archive.ts'

type About = Pick<SiteMapFile, 'trouble' | 'content'>

/** @throws Error with one sentence if pages cannot use these tiles for this purpose. */
export function requireFitting(
  name: 'base' | 'terrain',
  { tileType }: Pick<Header, 'tileType'>,
  metadata: Readonly<Record<string, unknown>>,
): void {
  if (name === 'base') return
  if (tileType === 'mvt' || tileType === 'jpeg')
    throw wrongArchive('The archive has no elevations: those are Terrarium images, in PNG or WebP.')
  const { encoding } = metadata
  if (typeof encoding === 'string' && encoding !== 'terrarium')
    throw wrongArchive(`The archive has elevations in the encoding ${encoding}: only Terrarium is supported.`)
}

/** Never throws: an unreadable file is described as such. */
export async function readAbout(file: string, name: 'base' | 'terrain'): Promise<About> {
  try {
    const source = await openFileSource(file)
    try {
      const { bytes } = source.validator
      const header = readHeader(await readRange(source, 0, Math.min(firstBytes, bytes)), bytes)
      const { metadata } = await readMetadata(source, header)
      const { attribution } = metadata
      requireFitting(name, header, metadata)
      const { west, south, east, north } = header.bounds
      return {
        trouble: null,
        content: {
          tiles: header.tileType === 'mvt' ? 'vector' : 'images',
          minZoom: header.minZoom,
          maxZoom: header.maxZoom,
          bounds: [west, south, east, north],
          attribution: typeof attribution === 'string' ? attribution : null,
        },
      }
    } finally {
      await source.close()
    }
  } catch (error) {
    return { trouble: error instanceof Error ? error.message : String(error), content: null }
  }
}
