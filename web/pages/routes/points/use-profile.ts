// The profile of a route: at once where it is short, else in a turn of its own, so that no task of the page gets long.
import { useEffect, useMemo, useState } from 'react'
import { profileOf, type Profile } from '../../../route-editor/profile.ts'
import type { RouteMeter } from '../../../route-editor/route-meter.ts'
import { pointCount, type Segment } from '../../../route-editor/route-state.ts'

/** Some milliseconds of work. */
const maxAtOnce = 20_000

/** Undefined where no two points have a height; of a long route the one before, until the next is made. */
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
