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
  /** The number of items at this point, shown on it. */
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

/** From the service's own vector tiles: surroundings that the page did not provide. */
export interface Neighbour {
  readonly kind: 'trail' | 'photo'
  /** trailID or imageID. */
  readonly id: number
  readonly trailId: number
  /** Name of the trail, or title of the photo. */
  readonly name: string
}

/** Why the map is not the one that the site has chosen; shown to staff, who can fix it. */
export type Trouble = 'style-unread' | 'tiles-unread' | 'file-unread' | 'file-foreign' | 'relief-unread'

export interface MapViewProps {
  /** A text alternative for people who cannot see the map, including where to find the same as a list. */
  readonly label: string
  readonly initialBounds?: Bounds | undefined
  readonly lines?: readonly MapLine[] | undefined
  readonly points?: readonly MapPoint[] | undefined
  readonly circles?: readonly MapCircle[] | undefined
  readonly cone?: MapCone | undefined
  /** A marker that can be dragged; keyboard users have fields on the page. */
  readonly handle?: MapHandle | undefined
  /** Nearby points are clustered with their number until the map is zoomed in. */
  readonly isClustered?: boolean
  readonly selectedId?: string | undefined
  readonly hoveredId?: string | undefined
  /** Called with the ID of a point or a line. */
  readonly onSelect?: ((id: string) => void) | undefined
  readonly onHover?: ((id: string | undefined) => void) | undefined
  /** `isByHand`: the user moved the map, not the page. */
  readonly onMove?: ((bounds: Bounds, how: { readonly isByHand: boolean }) => void) | undefined
  readonly onClickAt?: ((at: { readonly lon: number; readonly lat: number }) => void) | undefined
  /** Trails, and optionally photos, of the whole service below the page's own layers. */
  readonly neighbours?: 'trails' | 'trails-and-photos' | 'none'
  readonly onNeighbour?: ((neighbour: Neighbour) => void) | undefined
  /** Called with the loaded map, for further layers; the function that it returns is called before the map is removed. */
  readonly onMap?: ((map: MapLibreMap) => (() => void) | void) | undefined
  /** The map moves there when the key changes. */
  readonly fitTo?: { readonly key: string; readonly bounds: Bounds } | undefined
  /** The wheel and one-finger gestures scroll the page; the map needs Ctrl with the wheel, or two fingers. */
  readonly letsPageScroll?: boolean
  readonly className?: string | undefined
}
