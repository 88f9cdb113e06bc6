// Keeps what is not saved on this device, and asks before a page with unsaved changes is closed.
import { useEffect, useRef } from 'react'
import type { OpenedEditor, SavedRoute } from './open-editor.ts'

const pauseMs = 600

export function useDraft({ editor, drafts, draftKey }: OpenedEditor, saved: SavedRoute): void {
  const latest = useRef(saved)
  useEffect(() => {
    latest.current = saved
  })
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let kept = editor.settled()

    function keep(): void {
      timer = undefined
      const state = editor.settled()
      if (state === kept) return
      kept = state
      const { state: savedState, etag } = latest.current
      // Where the browser keeps nothing, the question before closing is all there is.
      const work =
        state === savedState
          ? drafts.remove(draftKey)
          : drafts.write(draftKey, editor.meter, {
              state,
              etag,
              savedAtMs: Date.now(),
              idempotencyKey: undefined,
            })
      work.catch(() => undefined)
    }
    const stop = editor.subscribe(() => {
      timer ??= setTimeout(keep, pauseMs)
    })
    const ask = (event: BeforeUnloadEvent): void => {
      if (timer !== undefined) {
        clearTimeout(timer)
        keep()
      }
      if (editor.settled() !== latest.current.state) event.preventDefault()
    }
    window.addEventListener('beforeunload', ask)
    return () => {
      stop()
      window.removeEventListener('beforeunload', ask)
      if (timer === undefined) return
      clearTimeout(timer)
      keep()
    }
  }, [editor, drafts, draftKey])
}
