// Takes files that are dropped anywhere on the page.
import { useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import styles from './file-drop.module.css'

interface FileDropProps {
  /** Shown while files are dragged over the page. */
  readonly label: string
  /** Called within the drop event. */
  readonly take: (transfer: DataTransfer) => void
}

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') === true

/**
 * Covers the page while files are dragged over it. A drop belongs to the element that was last below the pointer: if
 * the page removes that element before the drop, Chromium opens the file instead. The cover stays until the drop.
 */
export function FileDrop({ label, take }: FileDropProps) {
  const [isOver, setOver] = useState(false)
  const latest = useRef(take)
  useEffect(() => {
    latest.current = take
  })
  useEffect(() => {
    const stop = new AbortController()
    const { signal } = stop
    let entered: EventTarget | null = null
    const enter = (event: DragEvent): void => {
      if (!hasFiles(event)) return
      event.preventDefault()
      entered = event.target
      // At once, so that nothing can be removed below the pointer before the cover is there.
      flushSync(() => setOver(true))
    }
    const over = (event: DragEvent): void => {
      if (hasFiles(event)) event.preventDefault()
    }
    // The next element is entered before the last one is left: leaving that which was entered last leaves the page.
    const leave = ({ target }: DragEvent): void => {
      if (target === entered) setOver(false)
    }
    const drop = (event: DragEvent): void => {
      if (!hasFiles(event) || event.dataTransfer === null) return
      // Otherwise the browser would leave the page and show the file.
      event.preventDefault()
      setOver(false)
      latest.current(event.dataTransfer)
    }
    window.addEventListener('dragenter', enter, { signal })
    window.addEventListener('dragover', over, { signal })
    window.addEventListener('dragleave', leave, { signal })
    window.addEventListener('drop', drop, { signal })
    return () => stop.abort()
  }, [])
  if (!isOver) return null
  // No pointer moves during a drag. One that does shows that the drag ended without an event.
  return (
    <div className={styles.cover} onPointerMove={() => setOver(false)}>
      {label}
    </div>
  )
}
