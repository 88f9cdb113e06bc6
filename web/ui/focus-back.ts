// Where the focus goes when something that took it is gone.
import { useEffect, useState } from 'react'

/**
 * For what is there only while it is open: the parts of Mantine give the focus back where they stay mounted while closed.
 * Where the focus has been put elsewhere meanwhile, it stays there.
 */
export function useFocusBack(): void {
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      const isLost = document.activeElement === null || document.activeElement === document.body
      if (!isLost || before === document.body) return
      const target = before?.isConnected ? before : document.querySelector('#main')
      if (target instanceof HTMLElement) target.focus({ preventScroll: true })
    },
    [before],
  )
}
