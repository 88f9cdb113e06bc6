// The base map: a style from elsewhere, the site's map file, or the offline outlines of the world.
import type { LayerSpecification, SourceSpecification } from 'maplibre-gl'
import type { SiteInfo } from '../../client/client.ts'
import type { Trouble } from './kinds.ts'
import { offlineBase } from './offline-base.ts'
import type { MapLook } from './style/look.ts'

export interface Base {
  /** A complete style from elsewhere, with its own colours. */
  readonly styleUrl?: string
  readonly sources: Readonly<Record<string, SourceSpecification>>
  readonly layers: (look: MapLook) => readonly LayerSpecification[]
  /** Whether hillshade and contour lines can be added; imagery has its own. */
  readonly takesRelief: boolean
  readonly isOffline: boolean
}

export interface ChosenBase {
  readonly base: Base
  /** Why it is not the one that the site has chosen. */
  readonly trouble?: Trouble
}

/** The built-in map is also used if the chosen one cannot be loaded: a map without roads is better than none. */
export async function chooseBase({ styleUrl, pmtiles }: SiteInfo['map']): Promise<ChosenBase> {
  if (styleUrl !== null)
    return {
      base: { styleUrl, sources: {}, layers: () => [], takesRelief: true, isOffline: false },
    }
  if (pmtiles === null) return { base: offlineBase }
  try {
    const { readPmtilesBase } = await import('./pmtiles-base.ts')
    const base = await readPmtilesBase(pmtiles)
    return base ? { base } : { base: offlineBase, trouble: 'file-foreign' }
  } catch {
    return { base: offlineBase, trouble: 'file-unread' }
  }
}
