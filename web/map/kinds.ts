// The types of what pages draw on the map, and of the events they receive.
import type { Map as MapLibreMap } from 'maplibre-gl'

/** Degrees; longitude first, as in GeoJSON. */
export type Position = readonly [lon: number, lat: number]
/** West, south, east, north in degrees; west is greater than east across the antimeridian. */
export type Bounds = readonly [west: number, south: number, east: number, north: number]

export type LineTone = 'trail' | 'route' | 'draft' | 'muted'
export type PointTone = 'photo' | 'pending' | 'bad' | 'you'

export interface MapLine {
  readonly id: string
  readonly coordinates: readonly (readonly Position[])[]
  readonly tone: LineTone
}

export interface MapPoint {
  readonly id: string
  readonly lon: number
  readonly lat: number
  readonly tone: PointTone
  readonly label?: string | undefined
  /** The number of things at this point, shown on it. */
  readonly count?: number | undefined
}

export interface MapCircle {
  readonly id: string
  readonly lon: number
  readonly lat: number
  readonly radiusMetres: number
  /** A hidden area, or the accuracy of a position. */
  readonly tone?: 'zone' | 'accuracy' | undefined
}

/** The position of a camera and its direction, in degrees clockwise from north. */
export interface MapCone {
  readonly lon: number
  readonly lat: number
  readonly direction: number
}

export interface MapHandle {
  readonly lon: number
  readonly lat: number
  readonly onDragged: (at: { readonly lon: number; readonly lat: number }) => void
}

/** From the service's own vector tiles: surroundings that the page did not name. */
export interface Neighbour {
  readonly kind: 'trail' | 'photo'
  /** trailID or imageID. */
  readonly id: number
  readonly trailId: number
  /** Of the trail, or the title of the photo. */
  readonly name: string
}

/** Why the map is not as the site has chosen it; shown to staff, who can fix it. */
export type Trouble = 'style-unread' | 'tiles-unread' | 'file-unread' | 'file-foreign' | 'relief-unread'

export interface MapViewProps {
  /** What the map shows, for who cannot see it; with where to find the same as a list. */
  readonly label: string
  readonly initialBounds?: Bounds | undefined
  readonly lines?: readonly MapLine[] | undefined
  readonly points?: readonly MapPoint[] | undefined
  readonly circles?: readonly MapCircle[] | undefined
  readonly cone?: MapCone | undefined
  /** A place that can be dragged to another; the page has fields for who uses a keyboard. */
  readonly handle?: MapHandle | undefined
  /** Points that lie close together are one with their number, until the map is nearer. */
  readonly isClustered?: boolean
  readonly selectedId?: string | undefined
  readonly hoveredId?: string | undefined
  /** Of a point or a line. */
  readonly onSelect?: ((id: string) => void) | undefined
  readonly onHover?: ((id: string | undefined) => void) | undefined
  /** `isByHand`: a person moved the map, not the page. */
  readonly onMove?: ((bounds: Bounds, how: { readonly isByHand: boolean }) => void) | undefined
  readonly onClickAt?: ((at: { readonly lon: number; readonly lat: number }) => void) | undefined
  /** Trails, and optionally photos, of the whole service below the page's own layers. */
  readonly neighbours?: 'trails' | 'trails-and-photos' | 'none'
  readonly onNeighbour?: ((neighbour: Neighbour) => void) | undefined
  /** Called with the loaded map, for further layers; the function that it returns is called before the map is removed. */
  readonly onMap?: ((map: MapLibreMap) => (() => void) | void) | undefined
  /** Moves there whenever the key is another. */
  readonly fitTo?: { readonly key: string; readonly bounds: Bounds } | undefined
  /** The wheel and one finger scroll the page; the map takes Ctrl with the wheel, or two fingers. */
  readonly letsPageScroll?: boolean
  readonly className?: string | undefined
}
