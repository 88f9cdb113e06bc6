// Draws the editor's route on the map: the line at the detail of the view, and the points as handles when zoomed in.
import type { ExpressionSpecification, GeoJSONSource, Map as MapLibreMap } from 'maplibre-gl'
import type { MapColours } from '../../../map/colours.ts'
import { nothing } from '../../../map/geometry.ts'
import { drawnLines, handlesIn, type Handle, type LonLat, type View } from '../../../route-editor/drawing.ts'
import type { Editor, EditorView } from '../../../route-editor/editor.ts'
import { isSame, pointAt, type PointRef, type RouteState } from '../../../route-editor/route-state.ts'
import { countOf } from '../../../route-editor/columns.ts'

const [linesId, handlesId, ghostId] = ['editor-lines', 'editor-handles', 'editor-ghost'] as const
const sources = [linesId, handlesId, ghostId]
const casingId = 'editor-casing'
const layers = [casingId, linesId, handlesId, ghostId] as const

type Role = 'start' | 'end' | 'point' | 'selected' | 'hovered'

interface DrawnPoint {
  readonly lon: number
  readonly lat: number
  readonly role: Role
}

const collectionOf = (points: readonly DrawnPoint[]) => ({
  type: 'FeatureCollection' as const,
  features: points.map(({ lon, lat, role }) => ({
    type: 'Feature' as const,
    properties: { role },
    geometry: { type: 'Point' as const, coordinates: [lon, lat] },
  })),
})

function addLayers(map: MapLibreMap): void {
  for (const id of sources) map.addSource(id, { type: 'geojson', data: nothing })
  const round = { 'line-cap': 'round', 'line-join': 'round' } as const
  map.addLayer({ id: casingId, type: 'line', source: linesId, layout: round, paint: { 'line-width': 7 } })
  map.addLayer({ id: linesId, type: 'line', source: linesId, layout: round, paint: { 'line-width': 4 } })
  map.addLayer({
    id: handlesId,
    type: 'circle',
    source: handlesId,
    paint: {
      'circle-radius': ['match', ['get', 'role'], 'selected', 9, 'hovered', 8, 'point', 5, 7],
      'circle-stroke-width': 2.5,
    },
  })
  map.addLayer({
    id: ghostId,
    type: 'circle',
    source: ghostId,
    paint: { 'circle-radius': 6, 'circle-stroke-width': 2, 'circle-opacity': 0.7 },
  })
}

const byRole = (colours: Readonly<Partial<Record<Role, string>>>, usual: string): ExpressionSpecification =>
  Object.entries(colours).reduce<ExpressionSpecification>(
    (otherwise, [role, colour]) => ['case', ['==', ['get', 'role'], role], colour, otherwise],
    ['literal', usual],
  )

function colourLayers(map: MapLibreMap, { casing, lines, points, pointed }: MapColours): void {
  map.setPaintProperty(casingId, 'line-color', casing)
  map.setPaintProperty(linesId, 'line-color', lines.draft)
  const fills = { start: lines.trail, end: points.bad, selected: pointed }
  map.setPaintProperty(handlesId, 'circle-color', byRole(fills, casing))
  const edges = { point: lines.draft, hovered: lines.draft }
  map.setPaintProperty(handlesId, 'circle-stroke-color', byRole(edges, casing))
  map.setPaintProperty(ghostId, 'circle-color', casing)
  map.setPaintProperty(ghostId, 'circle-stroke-color', lines.draft)
}

function viewOf(map: MapLibreMap): View {
  const box = map.getBounds()
  return [box.getWest(), box.getSouth(), box.getEast(), box.getNorth()]
}

/** Points that are always drawn: start and end of the route, and the selected point. */
function marksOf({ state, selected, hovered }: EditorView): { ref: PointRef; role: Role }[] {
  const last = state.segments.length - 1
  const end = state.segments[last]
  if (end === undefined) return []
  return [
    { ref: { segment: 0, index: 0 }, role: 'start' },
    { ref: { segment: last, index: countOf(end.chunks) - 1 }, role: 'end' },
    ...(hovered ? [{ ref: hovered, role: 'hovered' as const }] : []),
    ...(selected ? [{ ref: selected, role: 'selected' as const }] : []),
  ]
}

function pointsToDraw(view: EditorView, handles: readonly Handle[]): DrawnPoint[] {
  const marks = marksOf(view)
  const isMark = (ref: PointRef): boolean => marks.some((mark) => isSame(mark.ref, ref))
  const marked = marks.flatMap(({ ref, role }): DrawnPoint[] => {
    const at = pointAt(view.state, ref)
    return at ? [{ lon: at.lon, lat: at.lat, role }] : []
  })
  return [
    ...handles
      .filter(({ ref }) => !isMark(ref))
      .map(({ lon, lat }): DrawnPoint => ({ lon, lat, role: 'point' })),
    ...marked,
  ]
}

export interface DrawnRoute {
  /** Where a click would insert a point; undefined for nowhere. */
  showGhost(at: LonLat | undefined): void
  recolour(colours: MapColours): void
  end(): void
}

export function drawOnMap(
  map: MapLibreMap,
  editor: Editor,
  { colours, onHandles }: { readonly colours: MapColours; readonly onHandles: (areShown: boolean) => void },
): DrawnRoute {
  addLayers(map)
  colourLayers(map, colours)
  const sourceOf = (id: string): GeoJSONSource | undefined => map.getSource<GeoJSONSource>(id)
  let frame: number | undefined
  let drawn: { readonly segments: RouteState['segments']; readonly place: string } | undefined

  function draw(): void {
    frame = undefined
    const view = editor.view()
    const { segments } = view.state
    const [box, zoom] = [viewOf(map), map.getZoom()]
    const place = `${zoom} ${box.join(' ')}`
    if (drawn?.segments !== segments || drawn.place !== place) {
      drawn = { segments, place }
      const coordinates = drawnLines(segments, box, zoom).filter((line) => line.length > 1)
      void sourceOf(linesId)?.setData({
        type: 'Feature',
        properties: {},
        geometry: { type: 'MultiLineString', coordinates },
      })
    }
    const handles = handlesIn(view.state, box, zoom)
    onHandles(handles !== undefined)
    void sourceOf(handlesId)?.setData(collectionOf(pointsToDraw(view, handles ?? [])))
    // Arrow keys move the selected point; without one they move the map.
    if (view.selected) map.keyboard.disable()
    else map.keyboard.enable()
  }

  /** At most one redraw per frame, whatever happens in between. */
  function drawSoon(): void {
    frame ??= requestAnimationFrame(draw)
  }

  const stop = editor.subscribe(drawSoon)
  map.on('moveend', drawSoon)
  map.on('zoomend', drawSoon)
  drawSoon()

  return {
    showGhost: (at) =>
      void sourceOf(ghostId)?.setData(
        at === undefined ? nothing : collectionOf([{ lon: at[0], lat: at[1], role: 'point' }]),
      ),
    recolour: (next) => colourLayers(map, next),
    end: () => {
      stop()
      map.off('moveend', drawSoon)
      map.off('zoomend', drawSoon)
      if (frame !== undefined) cancelAnimationFrame(frame)
      // The map may already be removed, including its layers.
      if (map.getStyle() === undefined) return
      for (const id of layers) if (map.getLayer(id)) map.removeLayer(id)
      for (const id of sources) if (map.getSource(id)) map.removeSource(id)
    },
  }
}
