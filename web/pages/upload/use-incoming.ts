// Files that come to the page by drop, anywhere on it, or by paste.
import { useEffect, useRef, useState } from 'react'
import { filesOf } from './dropped-files.ts'

type Take = (files: readonly File[]) => void

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') === true

/** @returns whether files are held over the page right now. */
export function useIncoming(take: Take): boolean {
  const [isOver, setOver] = useState(false)
  const latest = useRef(take)
  useEffect(() => {
    latest.current = take
  })
  useEffect(() => {
    const stop = new AbortController()
    const { signal } = stop
    /** A drag enters and leaves each element on its way: only the balance says whether it is over the page. */
    let depth = 0
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return
      event.preventDefault()
      if (event.type === 'dragenter') depth += 1
      setOver(true)
    }
    const leave = (event: DragEvent): void => {
      if (!hasFiles(event)) return
      depth = Math.max(0, depth - 1)
      if (depth === 0) setOver(false)
    }
    const drop = (event: DragEvent): void => {
      if (!hasFiles(event) || event.dataTransfer === null) return
      // Else the browser would leave the page and show the photo.
      event.preventDefault()
      depth = 0
      setOver(false)
      void filesOf(event.dataTransfer).then((files) => latest.current(files))
    }
    const paste = (event: ClipboardEvent): void => {
      if (event.clipboardData === null || event.clipboardData.files.length === 0) return
      event.preventDefault()
      void filesOf(event.clipboardData).then((files) => latest.current(files))
    }
    window.addEventListener('dragenter', over, { signal })
    window.addEventListener('dragover', over, { signal })
    window.addEventListener('dragleave', leave, { signal })
    window.addEventListener('drop', drop, { signal })
    window.addEventListener('paste', paste, { signal })
    return () => stop.abort()
  }, [])
  return isOver
}
