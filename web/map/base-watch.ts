// Watches whether the base map loads at all: if neither its style nor any of its tiles does, the built-in map is shown
// instead.
import type { ErrorEvent, Map as MapLibreMap, MapSourceDataEvent } from 'maplibre-gl'
import type { Trouble } from './kinds.ts'

/** After this many failed tiles and no successful one, there is no need to wait for the rest. */
const minFailures = 6

interface WatchOptions {
  /** Whether a source belongs to the base map rather than to our layers. */
  readonly isOfBase: (sourceId: string) => boolean
  readonly hasStyle: boolean
}

const tiled: ReadonlySet<unknown> = new Set(['vector', 'raster', 'raster-dem'])

/** Properties that MapLibre adds to errors of sources, although its types lack them. */
interface SourceError extends ErrorEvent {
  readonly sourceId?: string
  readonly tile?: unknown
}

/**
 * @param onTrouble is called at most once, and never after a tile has loaded: later failures are those of the network.
 */
export function watchBase(
  map: MapLibreMap,
  { isOfBase, hasStyle }: WatchOptions,
  onTrouble: (trouble: Trouble) => void,
): void {
  let isLoaded = !hasStyle
  let isDecided = false
  let failures = 0
  const failedSources = new Set<string>()

  function decide(trouble: Trouble | undefined): void {
    if (isDecided) return
    isDecided = true
    map.off('error', onError)
    map.off('sourcedata', onData)
    map.off('idle', onIdle)
    if (trouble) onTrouble(trouble)
  }

  function onError(event: ErrorEvent): void {
    const { sourceId, tile }: SourceError = event
    if (!isLoaded) return decide('style-unread')
    if (sourceId === undefined || !isOfBase(sourceId)) return undefined
    if (tile === undefined) failedSources.add(sourceId)
    else failures += 1
    return failures >= minFailures ? decide('tiles-unread') : undefined
  }

  function onData({ sourceId, tile }: MapSourceDataEvent): void {
    // If a server has no such tile, MapLibre uses an empty one; other sources may have it.
    if (isOfBase(sourceId) && tile?.state === 'loaded' && tile.latestFeatureIndex !== null) decide(undefined)
  }

  function onIdle(): void {
    const sources = Object.entries(map.getStyle().sources).filter(
      ([id, { type }]) => isOfBase(id) && tiled.has(type),
    )
    const isLost = failures > 0 || (sources.length > 0 && sources.every(([id]) => failedSources.has(id)))
    if (isLost) decide('tiles-unread')
  }

  map.once('style.load', () => {
    isLoaded = true
  })
  map.on('error', onError)
  map.on('sourcedata', onData)
  map.on('idle', onIdle)
}
