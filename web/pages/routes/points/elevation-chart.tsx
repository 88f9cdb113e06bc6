// The elevation along the route, drawn by uPlot, with hovering shared with the map.
import 'uplot/dist/uPlot.min.css'
import { Skeleton, useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { Profile } from '../../../route-editor/profile.ts'
import { routeStrings } from '../../../strings/routes.ts'
import { useFormat } from '../../../ui/format.ts'
import { usePreferences, type Preferences } from '../../../ui/preferences.ts'
import styles from './chart.module.css'
import type { Plot } from './plot.ts'

const heightPixels = 150

interface PlotProps {
  readonly profile: Profile
  /** The index of the point hovered elsewhere, among all points. */
  readonly ordinal: number | undefined
  readonly onPoint: (ordinal: number | undefined) => void
  readonly onPick?: ((ordinal: number) => void) | undefined
}

/** Recreated when colours or units change, through its key. */
function PlotPlace({ units, ...props }: PlotProps & { readonly units: Preferences['units'] }) {
  const { profile, ordinal } = props
  const place = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  const [plot, setPlot] = useState<Plot | 'failed'>()
  useEffect(() => {
    latest.current = props
  })
  useEffect(() => {
    const target = place.current
    let isGone = false
    let made: Plot | undefined
    async function begin(): Promise<void> {
      const { createPlot } = await import('./plot.ts')
      if (isGone || !target) return
      const ordinalOf = (index: number | undefined): number | undefined => {
        const found = index === undefined ? undefined : latest.current.profile.ordinals[index]
        return found === undefined || found < 0 ? undefined : found
      }
      made = createPlot({
        target,
        units,
        onPoint: (index) => latest.current.onPoint(ordinalOf(index)),
        onPick: (index) => {
          const picked = ordinalOf(index)
          if (picked !== undefined) latest.current.onPick?.(picked)
        },
      })
      setPlot(made)
    }
    // Without the plot, the table has all elevations.
    begin().catch(() => setPlot('failed'))
    return () => {
      isGone = true
      made?.end()
    }
  }, [units])
  const drawn = plot === 'failed' ? undefined : plot
  useEffect(() => drawn?.show(profile), [drawn, profile])
  useEffect(() => drawn?.pointAt(profile, ordinal), [drawn, profile, ordinal])
  return (
    <>
      {!plot && <Skeleton height={heightPixels} />}
      <div ref={place} />
    </>
  )
}

interface ElevationChartProps extends PlotProps {
  readonly climbMetres: number | undefined
}

export function ElevationChart({ climbMetres, ...props }: ElevationChartProps) {
  const scheme = useComputedColorScheme('light')
  const { units } = usePreferences()
  const format = useFormat()
  const { lowest, highest } = props.profile
  const climb = climbMetres === undefined ? '' : format.height(climbMetres)
  return (
    <div
      className={styles.chart}
      role="img"
      aria-label={routeStrings.profileLabel(format.height(lowest), format.height(highest), climb)}
    >
      <PlotPlace key={`${scheme} ${units}`} units={units} {...props} />
    </div>
  )
}
