// The map as a hook: made once with its container, then told what changes.
import type { Map as MapLibreMap } from 'maplibre-gl'
import { ScaleControl } from 'maplibre-gl'
import { useEffect, useRef, useState, type RefObject } from 'react'
import { useComputedColorScheme } from '@mantine/core'
import { baseUrl } from '../data/base.ts'
import { useSite } from '../data/site.ts'
import { useWaymark } from '../data/waymark.tsx'
import { usePreferences } from '../ui/preferences.ts'
import { chooseBase, type Base } from './base.ts'
import { createMap, recolour } from './create-map.ts'
import { keepOffline } from './offline-base.ts'
import type { MapViewProps } from './kinds.ts'

export interface ReadyMap {
  readonly map: MapLibreMap
  readonly base: Base
}

interface Begun {
  readonly ready: ReadyMap | undefined
  readonly isImpossible: boolean
}

/** Asked before MapLibre is, since its own complaint goes to the console. */
const canDraw = (): boolean => document.createElement('canvas').getContext('webgl2') !== null

export function useMap(container: RefObject<HTMLDivElement | null>, props: MapViewProps): Begun {
  const site = useSite()
  const tileUrl = useWaymark().maps.tileUrl()
  const scheme = useComputedColorScheme('light')
  const { units } = usePreferences()
  const [begun, setBegun] = useState<Begun>({ ready: undefined, isImpossible: false })
  const { neighbours = 'trails', isClustered = false, letsPageScroll = false, label } = props
  const { ready } = begun

  // What the map is made with holds for its life; all that may change is told to it below.
  const first = useRef({ ...props, neighbours, isClustered, letsPageScroll, scheme, tileUrl })
  useEffect(() => {
    let map: MapLibreMap | undefined
    let isGone = false
    let endOfBase: (() => void) | undefined
    async function begin(): Promise<void> {
      if (!canDraw()) throw new Error('no WebGL 2')
      const base = await chooseBase(site.map)
      if (isGone || !container.current) return
      const { initialBounds, ...choices } = first.current
      const made = createMap(
        { ...choices, initialBounds, container: container.current, base, baseUrl },
        (standsOn) => {
          if (standsOn.isOffline) endOfBase = keepOffline(made)
          setBegun({ ready: { map: made, base: standsOn }, isImpossible: false })
        },
      )
      map = made
    }
    begin().catch(() => setBegun({ ready: undefined, isImpossible: true }))
    return () => {
      isGone = true
      endOfBase?.()
      setBegun({ ready: undefined, isImpossible: false })
      map?.remove()
    }
  }, [container, site.map])

  useEffect(() => {
    if (ready) recolour(ready.map, ready.base, { scheme, neighbours })
  }, [ready, scheme, neighbours])

  useEffect(() => {
    ready?.map.getCanvas().setAttribute('aria-label', label)
  }, [ready, label])

  useEffect(() => {
    if (!ready) return undefined
    const scale = new ScaleControl({ unit: units === 'miles' ? 'imperial' : 'metric', maxWidth: 120 })
    ready.map.addControl(scale, 'bottom-left')
    return () => {
      // A map that is gone has let go of its controls itself.
      if (ready.map.hasControl(scale)) ready.map.removeControl(scale)
    }
  }, [ready, units])

  return begun
}
