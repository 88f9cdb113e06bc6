// Stores unsaved changes on this device, and asks before a page with unsaved changes is closed.
import { useEffect, useRef } from 'react'
import type { RouteState } from '../../../route-editor/route-state.ts'
import type { OpenedEditor, SavedRoute } from './open-editor.ts'

const pauseMs = 600

export function useDraft(opened: OpenedEditor, saved: SavedRoute): void {
  const { editor, drafts, draftKey } = opened
  const latest = useRef(saved)
  const keepAgain = useRef<() => void>(undefined)
  useEffect(() => {
    latest.current = saved
    // Saving deleted the draft, including changes made during the request.
    keepAgain.current?.()
  }, [saved])
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const { routeId, state: savedState } = latest.current
    let kept: RouteState | undefined = opened.draftSavedAtMs === undefined ? savedState : editor.settled()

    function keep(): void {
      timer = undefined
      const state = editor.settled()
      // After a new route is created, its own page stores changes; this draft would create a second route.
      if (state === kept || latest.current.routeId !== routeId) return
      kept = state
      const { state: stored, etag } = latest.current
      // If the browser stores nothing, only the question before closing protects the changes.
      void (state === stored
        ? drafts.remove(draftKey)
        : drafts.write(draftKey, editor.meter, {
            state,
            etag,
            savedAtMs: Date.now(),
            idempotencyKey: undefined,
          }))
    }
    /** The user has signed out, and agreed to lose it. */
    let isDropped = false
    const keepSoon = (): void => {
      if (isDropped) return
      timer ??= setTimeout(keep, pauseMs)
    }
    keepAgain.current = () => {
      kept = undefined
      keepSoon()
    }
    // A new route may have been changed while it was being saved.
    if (editor.settled() !== kept) keepSoon()
    const stop = editor.subscribe(keepSoon)
    const stopHearing = drafts.onRemovedAll(draftKey, () => {
      isDropped = true
      clearTimeout(timer)
      timer = undefined
    })
    const ask = (event: BeforeUnloadEvent): void => {
      if (isDropped) return
      if (timer !== undefined) {
        clearTimeout(timer)
        keep()
      }
      if (editor.settled() !== latest.current.state) event.preventDefault()
    }
    window.addEventListener('beforeunload', ask)
    return () => {
      stop()
      stopHearing()
      keepAgain.current = undefined
      window.removeEventListener('beforeunload', ask)
      if (timer === undefined) return
      clearTimeout(timer)
      keep()
    }
  }, [editor, drafts, draftKey, opened.draftSavedAtMs])
}
