// The relief of a map as a hook: loaded if the site has one, and added once it is ready.
import { useEffect, useRef, useState } from 'react'
import { addRelief } from './draw-style.ts'
import type { Relief } from './relief/relief.ts'
import type { MapLook } from './style/look.ts'
import type { ReadyMap } from './use-map.ts'

interface KnownRelief {
  /** Undefined if there is none, or not yet. */
  readonly relief: Relief | undefined
  /** The file exists, but cannot be read. */
  readonly isLost: boolean
}

const none: KnownRelief = { relief: undefined, isLost: false }

export function useRelief(ready: ReadyMap | undefined, look: MapLook, address: string | null): KnownRelief {
  const [known, setKnown] = useState(none)
  const latest = useRef(look)
  useEffect(() => {
    latest.current = look
  })

  useEffect(() => {
    if (!ready || address === null || !ready.base.takesRelief) return undefined
    let isGone = false
    async function show({ map }: ReadyMap, archive: string): Promise<void> {
      const { openRelief } = await import('./relief/relief.ts')
      const relief = await openRelief(archive)
      if (isGone) return
      addRelief(map, relief, latest.current)
      setKnown({ relief, isLost: false })
    }
    show(ready, address).catch(() => {
      if (!isGone) setKnown({ relief: undefined, isLost: true })
    })
    return () => {
      isGone = true
      setKnown(none)
    }
  }, [ready, address])

  return known
}
