// Pointer and touch input on the map: add, select, move and insert points.
import type { LngLat, Map as MapLibreMap, MapMouseEvent, MapTouchEvent } from 'maplibre-gl'
import { nearestOnLine, nearestPoint, type LonLat, type OnLine } from '../../../route-editor/drawing.ts'
import * as edits from '../../../route-editor/edits.ts'
import type { Editor } from '../../../route-editor/editor.ts'
import { wrappedLon, type PointRef } from '../../../route-editor/route-state.ts'
import { editorStrings } from '../../../strings/route-editor.ts'

const { steps } = editorStrings

/** How near a pointer has to be, in pixels; a finger is less precise. */
const nearPixels = { mouse: 11, touch: 26 } as const
const nearLinePixels = { mouse: 9, touch: 22 } as const
/** A shorter movement is a click with an unsteady hand. */
const minDragPixels = 4

const placeOf = (lon: number, lat: number) => ({
  lat: edits.roundedDegrees(lat),
  lon: edits.roundedDegrees(wrappedLon(lon)),
})

interface Held {
  /** The edited route with the point at the new position. */
  readonly moved: (at: LngLat) => edits.Edited
  readonly label: string
  readonly startX: number
  readonly startY: number
  isMoving: boolean
}

export function touchMap(
  map: MapLibreMap,
  editor: Editor,
  showGhost: (at: LonLat | undefined) => void,
): () => void {
  let held: Held | undefined
  /** The browser also sends a click after a drag, which is ignored. */
  let hasDragged = false
  let isTouch = false
  const canvas = map.getCanvas()

  const kind = () => (isTouch ? 'touch' : 'mouse')
  const touchAt = ({ lng, lat }: LngLat) => ({ lon: lng, lat, zoom: map.getZoom() })

  function pointNear(at: LngLat): PointRef | undefined {
    const nearest = nearestPoint(editor.settled(), touchAt(at))
    return nearest && nearest.pixels <= nearPixels[kind()] ? nearest.ref : undefined
  }

  function lineNear(at: LngLat): OnLine | undefined {
    if (editor.view().mode !== 'select') return undefined
    const nearest = nearestOnLine(editor.settled(), touchAt(at))
    return nearest && nearest.pixels <= nearLinePixels[kind()] ? nearest : undefined
  }

  function hold(event: MapMouseEvent | MapTouchEvent): void {
    const { lngLat, point } = event
    const settled = editor.settled()
    const ref = pointNear(lngLat)
    const on = ref || isTouch ? undefined : lineNear(lngLat)
    if (!ref && !on) return
    const moved = ({ lng, lat }: LngLat): edits.Edited => {
      const place = placeOf(lng, lat)
      if (ref) return edits.changePoint(settled, ref, place)
      return on ? edits.insertAfter(settled, on.ref, place) : { state: settled, selected: undefined }
    }
    held = {
      moved,
      label: ref ? steps.movePoint : steps.insertPoint,
      startX: point.x,
      startY: point.y,
      isMoving: false,
    }
    // Otherwise the map would pan as well.
    event.preventDefault()
  }

  function drag({ lngLat, point }: MapMouseEvent | MapTouchEvent): void {
    if (!held) return
    held.isMoving ||= Math.hypot(point.x - held.startX, point.y - held.startY) >= minDragPixels
    if (!held.isMoving) return
    showGhost(undefined)
    canvas.style.cursor = 'grabbing'
    editor.drag(held.moved(lngLat))
  }

  function letGo(): void {
    if (held?.isMoving === true) {
      hasDragged = true
      editor.drop(held.label)
    }
    held = undefined
  }

  function onMouseMove(event: MapMouseEvent): void {
    if (held) return drag(event)
    if (isTouch) return undefined
    const ref = pointNear(event.lngLat)
    const on = ref ? undefined : lineNear(event.lngLat)
    editor.hover(ref)
    showGhost(on && [on.lon, on.lat])
    const isDrawing = editor.view().mode === 'draw'
    canvas.style.cursor = ref ? 'grab' : on ? 'copy' : isDrawing ? 'crosshair' : ''
    return undefined
  }

  function onClick({ lngLat, originalEvent }: MapMouseEvent): void {
    if (hasDragged) {
      hasDragged = false
      return
    }
    const isDrawing = editor.view().mode === 'draw'
    // The second click of a double click, which ends drawing.
    if (originalEvent.detail > 1) {
      if (isDrawing) editor.setMode('select')
      return
    }
    const ref = pointNear(lngLat)
    const on = ref ? undefined : lineNear(lngLat)
    if (ref) editor.select(ref)
    else if (on && isTouch) editor.select(on.ref)
    else if (on) editor.insertAfter(on.ref, placeOf(on.lon, on.lat))
    else if (isDrawing) editor.addPoint(placeOf(lngLat.lng, lngLat.lat))
    else editor.select(undefined)
    showGhost(undefined)
  }

  const onMouseDown = (event: MapMouseEvent): void => {
    if (isTouch || event.originalEvent.button !== 0) return
    hasDragged = false
    hold(event)
  }
  const onTouchStart = (event: MapTouchEvent): void => {
    isTouch = true
    hasDragged = false
    if (event.points.length === 1) hold(event)
    else if (held) {
      // A second finger is a map gesture.
      held = undefined
      editor.drag(undefined)
    }
  }
  const onOut = (): void => {
    editor.hover(undefined)
    showGhost(undefined)
  }
  const onPointer = ({ pointerType }: PointerEvent): void => {
    isTouch = pointerType === 'touch'
  }

  map.doubleClickZoom.disable()
  canvas.addEventListener('pointerdown', onPointer)
  map.on('mousedown', onMouseDown)
  map.on('mousemove', onMouseMove)
  map.on('click', onClick)
  map.on('touchstart', onTouchStart)
  map.on('touchmove', drag)
  map.on('touchend', letGo)
  map.on('touchcancel', letGo)
  map.on('mouseout', onOut)
  // Wherever the button is released, including outside the map.
  window.addEventListener('mouseup', letGo)
  return () => {
    map.off('mousedown', onMouseDown)
    map.off('mousemove', onMouseMove)
    map.off('click', onClick)
    map.off('touchstart', onTouchStart)
    map.off('touchmove', drag)
    map.off('touchend', letGo)
    map.off('touchcancel', letGo)
    map.off('mouseout', onOut)
    canvas.removeEventListener('pointerdown', onPointer)
    window.removeEventListener('mouseup', letGo)
  }
}
