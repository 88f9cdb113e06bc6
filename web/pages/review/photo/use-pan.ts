// Moves the photo by hand: dragged at full size, swiped to the next one when fitted.
import { useLayoutEffect, useRef, type MouseEvent, type PointerEvent } from 'react'

/** Pointer movement tolerated within a click, in pixels. */
const stillPx = 6
const swipePx = 60

interface PanOptions {
  readonly isZoomed: boolean
  readonly onZoom: () => void
  readonly onStep: (by: 1 | -1) => void
}

interface Grip {
  readonly x: number
  readonly y: number
  readonly left: number
  readonly top: number
  hasMoved: boolean
}

export function usePan({ isZoomed, onZoom, onStep }: PanOptions) {
  const place = useRef<HTMLElement>(null)
  const grip = useRef<Grip>(null)
  /** The point of the photo at the centre of the full-size view; each coordinate from 0 to 1. */
  const focus = useRef({ x: 0.5, y: 0.5 })

  useLayoutEffect(() => {
    const { current: element } = place
    if (!element || !isZoomed) return
    element.scrollLeft = focus.current.x * element.scrollWidth - element.clientWidth / 2
    element.scrollTop = focus.current.y * element.scrollHeight - element.clientHeight / 2
    focus.current = { x: 0.5, y: 0.5 }
  }, [isZoomed])

  return {
    place,
    handlers: {
      // A scrollable element can be focused and scrolled with the keyboard.
      tabIndex: isZoomed ? 0 : -1,
      onPointerDown: (event: PointerEvent<HTMLElement>): void => {
        const { current: element } = place
        if (!element || event.button !== 0) return
        const { clientX: x, clientY: y } = event
        grip.current = { x, y, left: element.scrollLeft, top: element.scrollTop, hasMoved: false }
        if (isZoomed && event.pointerType === 'mouse') element.setPointerCapture(event.pointerId)
      },
      onPointerMove: ({ clientX, clientY, pointerType }: PointerEvent<HTMLElement>): void => {
        const { current: held } = grip
        const { current: element } = place
        if (!held || !element) return
        const [dx, dy] = [clientX - held.x, clientY - held.y]
        if (Math.hypot(dx, dy) > stillPx) held.hasMoved = true
        if (!isZoomed || pointerType !== 'mouse' || !held.hasMoved) return
        element.scrollLeft = held.left - dx
        element.scrollTop = held.top - dy
      },
      onPointerUp: ({ clientX, clientY, pointerType }: PointerEvent<HTMLElement>): void => {
        const { current: held } = grip
        if (!held) return
        const [dx, dy] = [clientX - held.x, clientY - held.y]
        const isSwipe = Math.abs(dx) > swipePx && Math.abs(dx) > 2 * Math.abs(dy)
        if (pointerType !== 'mouse' && !isZoomed && isSwipe) onStep(dx < 0 ? 1 : -1)
      },
      onPointerCancel: (): void => {
        grip.current = null
      },
      /** A click zooms in at that point; another one fits the photo again. */
      onClick: ({ target, clientX, clientY }: MouseEvent<HTMLElement>): void => {
        const hasMoved = grip.current?.hasMoved ?? false
        grip.current = null
        if (hasMoved || !(target instanceof HTMLImageElement)) return
        const { left, top, width, height } = target.getBoundingClientRect()
        focus.current = { x: (clientX - left) / width, y: (clientY - top) / height }
        onZoom()
      },
    },
  }
}
