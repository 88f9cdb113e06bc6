// Tells an admin why the base map is not the one that MAP_STYLE_URL names: a browser says so nowhere but in its console.
import { useEffect, useState } from 'react'
import { isAdmin, useSite } from '../data/site.ts'
import { mapStrings } from '../strings/map.ts'
import styles from './map.module.css'
import type { ReadyMap } from './use-map.ts'

/** Origins that the policy of the page has blocked since the map is there. */
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

export function StyleTrouble({ ready }: { readonly ready: ReadyMap | undefined }) {
  const { viewer, map } = useSite()
  const isWanted = map.styleUrl !== null && isAdmin(viewer)
  const blocked = useBlocked(isWanted)
  if (!isWanted) return null
  const isUnread = ready?.base.isOffline === true
  if (blocked.length === 0 && !isUnread) return null
  return (
    <p className={styles.trouble} role="status">
      {blocked.length > 0 ? mapStrings.blocked(blocked.join(', ')) : mapStrings.styleUnread}
    </p>
  )
}
