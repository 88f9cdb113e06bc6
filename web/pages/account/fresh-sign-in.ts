// A new sign-in in a separate window, and the detection of its end: this browser then has a different session.
import { useState } from 'react'
import type { Waymark } from '../../../client/client.ts'
import { href } from '../../data/base.ts'
import { useViewer } from '../../data/site.ts'
import { useWaymark } from '../../data/waymark.tsx'
import { useLookAgain } from '../../ui/look-again.ts'

async function currentSession(waymark: Waymark): Promise<string | undefined> {
  const sessions = await waymark.me.sessions.list().catch(() => [])
  return sessions.find(({ isCurrent }) => isCurrent)?.id
}

export function useFreshSignIn(onSignedIn: () => void): { open: () => void; isOpen: boolean } {
  const waymark = useWaymark()
  const viewer = useViewer()
  const [other, setOther] = useState<{
    readonly window: Window | null
    readonly before: string | undefined
  }>()
  useLookAgain(
    other !== undefined,
    async () => {
      const session = await currentSession(waymark)
      return session === undefined || session === other?.before ? undefined : (await waymark.me.get()).acctID
    },
    (acctId) => {
      other?.window?.close()
      setOther(undefined)
      // Another user signed in: nothing shown here belongs to them.
      if (acctId === viewer?.acctID) onSignedIn()
      else location.reload()
    },
  )

  const open = () => {
    // Must be opened in the click handler itself, or the browser blocks the window as a pop-up.
    const window = globalThis.open(href('/sign-in?next=%2F'), 'waymark-sign-in', 'width=520,height=720')
    void currentSession(waymark).then((before) => setOther({ window, before }))
  }
  return { open, isOpen: other !== undefined }
}
