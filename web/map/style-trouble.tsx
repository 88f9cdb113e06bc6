// Tells staff why the base map is not the one that the site has chosen: browsers report it only in the console.
import { useEffect, useState } from 'react'
import { isStaff, useSite } from '../data/site.ts'
import { mapStrings } from '../strings/map.ts'
import type { Trouble } from './kinds.ts'
import styles from './map.module.css'

/** Origins that the page's policy has blocked since the map was created. */
function useBlocked(isWanted: boolean): readonly string[] {
  const [blocked, setBlocked] = useState<readonly string[]>([])
  useEffect(() => {
    if (!isWanted) return undefined
    const onViolation = ({ blockedURI, effectiveDirective }: SecurityPolicyViolationEvent): void => {
      const origin = URL.parse(blockedURI)?.origin
      if (!origin?.startsWith('http') || !/^(?:connect|img)-src/.test(effectiveDirective)) return
      setBlocked((before) => (before.includes(origin) ? before : [...before, origin]))
    }
    document.addEventListener('securitypolicyviolation', onViolation)
    return () => document.removeEventListener('securitypolicyviolation', onViolation)
  }, [isWanted])
  return blocked
}

export function StyleTrouble({ troubles }: { readonly troubles: readonly Trouble[] }) {
  const { viewer, map } = useSite()
  const isWanted = isStaff(viewer)
  const blocked = useBlocked(isWanted && map.styleUrl !== null)
  const [trouble] = troubles
  if (!isWanted || (blocked.length === 0 && trouble === undefined)) return null
  return (
    <p className={styles.trouble} role="status">
      {blocked.length > 0 || trouble === undefined
        ? mapStrings.blocked(blocked.join(', '))
        : mapStrings.troubles[trouble]}
    </p>
  )
}
