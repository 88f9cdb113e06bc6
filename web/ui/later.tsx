// What is drawn a moment after what stands around it, so that the page can be used before: the browser paints, and hears whoever
// presses something, while the rest is still being made.
import { useDeferredValue, type ReactNode } from 'react'

export interface LaterProps {
  /** Of the same size as what comes, where something would move. */
  readonly standIn?: ReactNode
  readonly children: ReactNode
}

export function Later({ standIn = null, children }: LaterProps) {
  return useDeferredValue(true, false) ? children : standIn
}
