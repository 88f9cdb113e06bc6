// Looks now and then for what another window of the browser brings about, such as a sign-in.
import { useEffect, useRef } from 'react'

const lookEveryMs = 1_500

/**
 * @param isOn while there is something to look for; it is found once.
 * @param look undefined while it is not there; where it throws, it is looked for again.
 */
export function useLookAgain<Found>(
  isOn: boolean,
  look: () => Promise<Found | undefined>,
  onFound: (found: Found) => void,
): void {
  const latest = useRef({ look, onFound })
  useEffect(() => {
    latest.current = { look, onFound }
  })
  useEffect(() => {
    if (!isOn) return undefined
    let isOver = false
    const lookOnce = async (): Promise<void> => {
      const found = await latest.current.look().catch(() => undefined)
      if (isOver || found === undefined) return
      isOver = true
      latest.current.onFound(found)
    }
    const soon = (): void => void lookOnce()
    const timer = setInterval(soon, lookEveryMs)
    // At once where this window is looked at.
    window.addEventListener('focus', soon)
    return () => {
      isOver = true
      clearInterval(timer)
      window.removeEventListener('focus', soon)
    }
  }, [isOn])
}
