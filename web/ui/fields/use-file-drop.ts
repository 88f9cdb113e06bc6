// Files that are dropped anywhere on the page.
import { useEffect, useRef, useState } from 'react'

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') === true

/** @param take is called within the event of the drop. @returns whether files are held over the page right now. */
export function useFileDrop(take: (transfer: DataTransfer) => void): boolean {
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
      // Else the browser would leave the page and show the file.
      event.preventDefault()
      depth = 0
      setOver(false)
      latest.current(event.dataTransfer)
    }
    window.addEventListener('dragenter', over, { signal })
    window.addEventListener('dragover', over, { signal })
    window.addEventListener('dragleave', leave, { signal })
    window.addEventListener('drop', drop, { signal })
    return () => stop.abort()
  }, [])
  return isOver
}
