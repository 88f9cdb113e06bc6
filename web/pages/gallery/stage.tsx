// The large photo: swipe, pinch, drag and zoom with PhotoSwipe, without its own buttons and keys.
import 'photoswipe/style.css'
import PhotoSwipe, { type SlideData } from 'photoswipe'
import { useEffect, useImperativeHandle, useRef, type Ref } from 'react'
import type { Image } from '../../../client/client.ts'
import { galleryStrings } from '../../strings/gallery.ts'
import styles from './lightbox.module.css'
import { altOf } from './sources.ts'

type Slide = NonNullable<PhotoSwipe['currSlide']>

/** The longest side of the size that is shown first. */
const firstSidePx = 640

export interface StageHandle {
  zoom(): void
}

interface StageProps {
  readonly images: readonly Image[]
  readonly index: number
  readonly onIndex: (index: number) => void
  readonly onClose: () => void
  /** A tap outside the buttons hides or shows them. */
  readonly onTap: () => void
  readonly ref: Ref<StageHandle>
}

/** md is already in the browser, from the grid; 640 replaces it, and then the full photo if it would be visible. */
const slideOf = (image: Image): SlideData => ({
  src: image.urls[640],
  msrc: image.urls.md,
  width: image.width,
  height: image.height,
  alt: altOf(image),
})

async function sharpen(slide: Slide | undefined, image: Image | undefined): Promise<void> {
  const element = slide?.content.element
  if (!slide || !image || !(element instanceof HTMLImageElement)) return
  const shownPx = Math.max(image.width, image.height) * slide.currZoomLevel * window.devicePixelRatio
  if (shownPx <= firstSidePx || Math.max(image.width, image.height) <= firstSidePx) return
  if (element.src === image.urls.lg) return
  const whole = document.createElement('img')
  whole.src = image.urls.lg
  await whole.decode()
  element.src = whole.src
}

export function Stage({ images, index, onIndex, onClose, onTap, ref }: StageProps) {
  const place = useRef<HTMLDivElement>(null)
  const swipe = useRef<PhotoSwipe>(undefined)
  /** The photo that PhotoSwipe has, by index. */
  const drawn = useRef(new Map<number, number>())
  const latest = useRef({ images, index, onIndex, onClose, onTap })
  useEffect(() => {
    latest.current = { images, index, onIndex, onClose, onTap }
  })

  useEffect(() => {
    const stage = place.current
    if (!stage) return undefined
    let isGone = false
    const made = new PhotoSwipe({
      appendToEl: stage,
      dataSource: [],
      index: latest.current.index,
      getViewportSizeFn: () => ({ x: stage.clientWidth, y: stage.clientHeight }),
      showHideAnimationType: 'none',
      bgOpacity: 1,
      loop: false,
      preload: [1, 2],
      wheelToZoom: true,
      trapFocus: false,
      returnFocus: false,
      escKey: false,
      arrowKeys: false,
      arrowPrev: false,
      arrowNext: false,
      close: false,
      zoom: false,
      counter: false,
      bgClickAction: 'close',
      tapAction: () => latest.current.onTap(),
      errorMsg: galleryStrings.notFound,
    })
    const at = (): Image | undefined => latest.current.images[made.currIndex]
    const look = (): void => void sharpen(made.currSlide, at()).catch(() => undefined)
    made.addFilter('numItems', () => latest.current.images.length)
    made.addFilter('itemData', (data, slideIndex) => {
      const image = latest.current.images[slideIndex]
      if (!image) return data
      drawn.current.set(slideIndex, image.imageID)
      return slideOf(image)
    })
    // All keys belong to the key registry.
    made.on('keydown', (event) => event.preventDefault())
    made.on('change', () => {
      if (!isGone && made.currIndex !== latest.current.index) latest.current.onIndex(made.currIndex)
      look()
    })
    made.on('loadComplete', look)
    made.on('zoomPanUpdate', look)
    made.on('close', () => {
      if (!isGone) latest.current.onClose()
    })
    made.init()
    // The surrounding dialog has that role.
    made.element?.setAttribute('role', 'presentation')
    swipe.current = made
    const room = new ResizeObserver(() => made.updateSize(true))
    room.observe(stage)
    return () => {
      isGone = true
      room.disconnect()
      swipe.current = undefined
      made.destroy()
    }
  }, [])

  useEffect(() => {
    const made = swipe.current
    if (!made) return
    if (made.currIndex !== index) made.goTo(index)
    // An added or removed photo shifts its neighbours.
    for (const near of [index - 1, index, index + 1]) {
      const imageId = images[near]?.imageID
      const isOther = drawn.current.has(near) && drawn.current.get(near) !== imageId
      if (imageId !== undefined && isOther) made.refreshSlideContent(near)
    }
  }, [images, index])

  useImperativeHandle(ref, () => ({ zoom: () => swipe.current?.currSlide?.toggleZoom() }), [])
  return <div ref={place} className={styles.stage} />
}
