// Which map lies below everything: the operator's style, their PMTiles file, or the offline outlines of the world.
import type { LayerSpecification, SourceSpecification } from 'maplibre-gl'
import type { SiteInfo } from '../../client/client.ts'
import type { MapColours } from './colours.ts'
import { offlineLayers, offlineSources } from './offline-base.ts'

export interface Base {
  /** A whole style from elsewhere, with colours of its own. */
  readonly styleUrl?: string
  readonly sources: Readonly<Record<string, SourceSpecification>>
  readonly layers: (colours: MapColours) => readonly LayerSpecification[]
  readonly isOffline: boolean
  /** Made of what others gave, who are named on the map. */
  readonly hasOthersData: boolean
}

export const offlineBase: Base = {
  sources: offlineSources,
  layers: offlineLayers,
  isOffline: true,
  hasOthersData: false,
}

/** The offline base too where what is configured cannot be read: a map without roads is better than none. */
export async function chooseBase({ styleUrl, pmtiles }: SiteInfo['map']): Promise<Base> {
  if (styleUrl !== null)
    return { styleUrl, sources: {}, layers: () => [], isOffline: false, hasOthersData: true }
  if (pmtiles === null) return offlineBase
  try {
    const { readPmtilesBase } = await import('./pmtiles-base.ts')
    return { ...(await readPmtilesBase(pmtiles)), isOffline: false, hasOthersData: true }
  } catch {
    return offlineBase
  }
}
