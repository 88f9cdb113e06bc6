// The map as a hook: created once with its container, then updated.
import type { Map as MapLibreMap } from 'maplibre-gl'
import { ScaleControl } from 'maplibre-gl'
import { useEffect, useMemo, useRef, useState, type RefObject } from 'react'
import { useComputedColorScheme } from '@mantine/core'
import { baseUrl } from '../data/base.ts'
import { useSite } from '../data/site.ts'
import { useWaymark } from '../data/waymark.tsx'
import { pageLanguage } from '../strings/language.ts'
import { usePreferences } from '../ui/preferences.ts'
import { chooseBase, type Base } from './base.ts'
import { createMap, type Camera } from './create-map.ts'
import { redraw } from './draw-style.ts'
import { keepOffline, offlineBase } from './offline-base.ts'
import type { MapViewProps, Trouble } from './kinds.ts'
import type { MapLook } from './style/look.ts'
import { useRelief } from './use-relief.ts'

export interface ReadyMap {
  readonly map: MapLibreMap
  readonly base: Base
}

export interface Begun {
  readonly ready: ReadyMap | undefined
  readonly isImpossible: boolean
  readonly troubles: readonly Trouble[]
}

const nothingYet: Begun = { ready: undefined, isImpossible: false, troubles: [] }

/** Checked before MapLibre is loaded, since its own error goes to the console. */
const canDraw = (): boolean => document.createElement('canvas').getContext('webgl2') !== null

function useLook(): MapLook {
  const scheme = useComputedColorScheme('light')
  const { units } = usePreferences()
  return useMemo(() => ({ scheme, units, language: pageLanguage().slice(0, 2) }), [scheme, units])
}

/** The name of the map, and its scale. */
function useSigns(
  ready: ReadyMap | undefined,
  { label, units }: Pick<MapViewProps, 'label'> & Pick<MapLook, 'units'>,
): void {
  useEffect(() => {
    ready?.map.getCanvas().setAttribute('aria-label', label)
  }, [ready, label])

  useEffect(() => {
    if (!ready) return undefined
    const scale = new ScaleControl({ unit: units === 'miles' ? 'imperial' : 'metric', maxWidth: 120 })
    ready.map.addControl(scale, 'bottom-left')
    return () => {
      // A map that has been removed has already removed its controls.
      if (ready.map.hasControl(scale)) ready.map.removeControl(scale)
    }
  }, [ready, units])
}

export function useMap(container: RefObject<HTMLDivElement | null>, props: MapViewProps): Begun {
  const site = useSite()
  const tileUrl = useWaymark().maps.tileUrl()
  const look = useLook()
  const [begun, setBegun] = useState(nothingYet)
  const { neighbours = 'trails', isClustered = false, letsPageScroll = false, label } = props
  const { ready } = begun

  // The initial options never change; everything that may change is updated below.
  const first = useRef({ ...props, neighbours, isClustered, letsPageScroll, tileUrl })
  const latestLook = useRef(look)
  useEffect(() => {
    latestLook.current = look
  })
  useEffect(() => {
    let end: (() => void) | undefined
    let isGone = false

    const addTrouble = (trouble: Trouble): void =>
      setBegun((before) => ({ ...before, troubles: [...before.troubles, trouble] }))

    function make(base: Base, camera?: Camera): void {
      if (isGone || !container.current) return
      const { initialBounds, ...choices } = first.current
      let endOfBase: (() => void) | undefined
      const made = createMap(
        {
          ...choices,
          initialBounds,
          camera,
          container: container.current,
          base,
          look: latestLook.current,
          baseUrl,
        },
        {
          onReady: (map) => {
            if (base.isOffline) endOfBase = keepOffline(map)
            setBegun((before) => ({ ...before, ready: { map, base } }))
          },
          onTrouble: (trouble, map) => {
            addTrouble(trouble)
            const { lng, lat } = map.getCenter()
            const stood = { center: [lng, lat] as [number, number], zoom: map.getZoom() }
            end?.()
            make(offlineBase, stood)
          },
        },
      )
      end = () => {
        end = undefined
        endOfBase?.()
        setBegun((before) => ({ ...before, ready: undefined }))
        made.remove()
      }
    }

    async function begin(): Promise<void> {
      if (!canDraw()) throw new Error('no WebGL 2')
      const { base, trouble } = await chooseBase(site.map)
      if (isGone) return
      if (trouble) addTrouble(trouble)
      make(base)
    }
    begin().catch(() => setBegun({ ...nothingYet, isImpossible: true }))
    return () => {
      isGone = true
      end?.()
      setBegun(nothingYet)
    }
  }, [container, site.map])

  const { relief, isLost } = useRelief(ready, look, site.map.terrain)
  useEffect(() => {
    if (ready) redraw(ready.map, { base: ready.base, relief, neighbours }, look)
  }, [ready, relief, look, neighbours])
  useSigns(ready, { label, units: look.units })
  return useMemo(
    () => (isLost ? { ...begun, troubles: [...begun.troubles, 'relief-unread'] } : begun),
    [begun, isLost],
  )
}
