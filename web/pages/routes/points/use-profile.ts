// The profile of a route: computed at once if it is short, otherwise in a separate task, to avoid long tasks.
import { useEffect, useMemo, useState } from 'react'
import { profileOf, type Profile } from '../../../route-editor/profile.ts'
import type { RouteMeter } from '../../../route-editor/route-meter.ts'
import { pointCount, type Segment } from '../../../route-editor/route-state.ts'

/** A few milliseconds of work. */
const maxAtOnce = 20_000

/** Undefined unless two points have an elevation; for a long route the previous one until the next is ready. */
export function useProfile(segments: readonly Segment[], meter: RouteMeter): Profile | undefined {
  const isShort = pointCount({ segments }) <= maxAtOnce
  const short = useMemo(() => (isShort ? profileOf(segments, meter) : undefined), [isShort, segments, meter])
  const [long, setLong] = useState<Profile>()
  useEffect(() => {
    if (isShort) return undefined
    const timer = setTimeout(() => setLong(profileOf(segments, meter)), 50)
    return () => clearTimeout(timer)
  }, [isShort, segments, meter])
  return isShort ? short : long
}
