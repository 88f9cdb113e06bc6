// Files that come to the page by drop, anywhere on it, or by paste.
import { useEffect, useRef } from 'react'
import { useFileDrop } from '../../ui/fields/use-file-drop.ts'
import { filesOf } from './dropped-files.ts'

/** @returns whether files are held over the page right now. */
export function useIncoming(take: (files: readonly File[]) => void): boolean {
  const latest = useRef(take)
  useEffect(() => {
    latest.current = take
  })
  const takeFrom = (transfer: DataTransfer): void =>
    void filesOf(transfer).then((files) => latest.current(files))
  useEffect(() => {
    const paste = (event: ClipboardEvent): void => {
      if (event.clipboardData === null || event.clipboardData.files.length === 0) return
      event.preventDefault()
      void filesOf(event.clipboardData).then((files) => latest.current(files))
    }
    window.addEventListener('paste', paste)
    return () => window.removeEventListener('paste', paste)
  }, [])
  return useFileDrop(takeFrom)
}
