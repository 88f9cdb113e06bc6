// Handlers of an element that reacts while it is hovered.
import type { MouseEvent } from 'react'

/**
 * In place of `onMouseEnter`, which React derives from the `mouseout` of the element that was hovered before. If that
 * element has left the page in the meantime, Chromium sends no `mouseout`, and `onMouseEnter` is not called.
 */
export const hovering = (onHover: (isHovered: boolean) => void) => ({
  onMouseOver: ({ currentTarget, relatedTarget }: MouseEvent) => {
    const isFromInside = relatedTarget instanceof Node && currentTarget.contains(relatedTarget)
    if (!isFromInside) onHover(true)
  },
  onMouseLeave: () => onHover(false),
})
