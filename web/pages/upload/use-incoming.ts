// Files that are dropped or pasted anywhere on the page.
import { useCallback, useEffect, useRef } from 'react'
import { filesOf } from './dropped-files.ts'

/** Pastes are taken here. @returns what takes a drop; call it within the drop event. */
export function useIncoming(take: (files: readonly File[]) => void): (transfer: DataTransfer) => void {
  // Folders take a while to read, and the trail may be changed in the meantime.
  const latest = useRef(take)
  useEffect(() => {
    latest.current = take
  })
  const takeFrom = useCallback(
    (transfer: DataTransfer): void => void filesOf(transfer).then((files) => latest.current(files)),
    [],
  )
  useEffect(() => {
    const paste = (event: ClipboardEvent): void => {
      if (event.clipboardData === null || event.clipboardData.files.length === 0) return
      event.preventDefault()
      takeFrom(event.clipboardData)
    }
    window.addEventListener('paste', paste)
    return () => window.removeEventListener('paste', paste)
  }, [takeFrom])
  return takeFrom
}
