// Files dropped anywhere on the page, or pasted.
import { useEffect, useRef } from 'react'
import { useFileDrop } from '../../ui/fields/use-file-drop.ts'
import { filesOf } from './dropped-files.ts'

/** @returns whether files are being dragged over the page. */
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
