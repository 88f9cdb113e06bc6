// A sign-in once more in a window of its own, and the moment at which it is done: this browser's session is another then.
import { useEffect, useRef, useState } from 'react'
import type { Waymark } from '../../../client/client.ts'
import { href } from '../../data/base.ts'
import { useViewer } from '../../data/site.ts'
import { useWaymark } from '../../data/waymark.tsx'

const askEveryMs = 1_500

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
  const done = useRef(onSignedIn)
  useEffect(() => {
    done.current = onSignedIn
  })

  useEffect(() => {
    if (!other) return undefined
    let isOver = false
    const look = async (): Promise<void> => {
      const session = await currentSession(waymark)
      if (isOver || session === undefined || session === other.before) return
      isOver = true
      other.window?.close()
      // Somebody else signed in: nothing of what stands here is theirs.
      const { acctID } = await waymark.me.get()
      if (acctID === viewer?.acctID) done.current()
      else location.reload()
    }
    const timer = setInterval(() => void look(), askEveryMs)
    const onFocus = () => void look()
    window.addEventListener('focus', onFocus)
    return () => {
      isOver = true
      clearInterval(timer)
      window.removeEventListener('focus', onFocus)
    }
  }, [other, waymark, viewer])

  const open = () => {
    // In the click itself, or the browser takes the window for an unwanted one.
    const window = globalThis.open(href('/sign-in?next=%2F'), 'waymark-sign-in', 'width=520,height=720')
    void currentSession(waymark).then((before) => setOther({ window, before }))
  }
  return { open, isOpen: other !== undefined }
}
