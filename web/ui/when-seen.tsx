// What is loaded and drawn only when it is about to be seen; before that, and on the server, something light stands in its place.
import { useEffect, useRef, useState, type ReactNode } from 'react'

export interface WhenSeenProps {
  /** Of the same size as what comes, so that nothing moves. */
  readonly standIn: ReactNode
  /** How far below the window it begins to load, in pixels. */
  readonly margin?: number
  readonly className?: string | undefined
  readonly children: ReactNode
}

export function WhenSeen({ standIn, margin = 300, className, children }: WhenSeenProps) {
  const place = useRef<HTMLDivElement>(null)
  const [isSeen, setSeen] = useState(false)

  useEffect(() => {
    const element = place.current
    if (isSeen || element === null) return undefined
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true)
      },
      { rootMargin: `${margin}px` },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [isSeen, margin])

  return (
    <div ref={place} className={className}>
      {isSeen ? children : standIn}
    </div>
  )
}
