// Whether the page is alive in a browser: on the server, and while React takes over what it sent, it is not. For what only the
// reader's browser knows, such as the time zone, so that both draw the same until then.
import { useSyncExternalStore } from 'react'

const never = () => () => undefined

export const useIsInBrowser = (): boolean =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
