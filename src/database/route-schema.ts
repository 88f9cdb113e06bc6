// The tables of account routes and of the privacy zones that others see them through; conventions as in schema.ts.
import type { Generated } from 'kysely'

export type Visibility = 'private' | 'link' | 'public'

/** Degrees; null if a route has no points. If west is greater than east, the box crosses the antimeridian. */
interface BoxColumns {
  west: number | null
  south: number | null
  east: number | null
  north: number | null
}

export interface RouteTable extends BoxColumns {
  id: number
  account_id: number
  name: string
  description: string
  /** Decimal text as stated; null if it is computed (contract C34). */
  length: string | null
  /** The length that is shown, stated or computed, as a number, for filters. */
  miles: number
  /** JSON: measurements that are only displayed. */
  measures: string
  /** A hash of the points in order, to recognise the same line under another name; null without points. */
  geometry_hash: string | null
  /** Length of the GPX in UTF-8. */
  gpx_bytes: number
  visibility: Visibility
  /** Null since migration 0010, which hashed it: here only for nodes of the version before, and gone with the next. */
  link_token: string | null
  /** SHA-256 of the token that opens the route while its visibility is `link`. */
  link_hash: string | null
  /** What the token was derived from, besides the secret; null for one from before migration 0010, which was random. */
  link_nonce: string | null
  /** Random, and new after every change; ETags are made of it. */
  revision: string
  /** Another one whenever gpx or length change: what the row of route_shown was made from. */
  line_revision: string
  created_at: number
  updated_at: number
  /**
   * What others see besides line and elevations: names of `shared/v2/route-shares.ts`, in that order, separated by
   * spaces.
   */
  shares: Generated<string>
  /** Name and description, folded, for the filter q. Last, since it may be long and is rarely read. */
  search: string
}

export interface RouteGpxTable {
  route_id: number
  /** The gpx in UTF-8; a long one compressed (zstd, with its checksum). */
  gpx: Uint8Array
}

/**
 * The public view of a route that is not private: derived only from the clipped lines. A row is valid only while both
 * revisions are current; otherwise it is made again, and until then nobody sees the route.
 */
export interface RoutePublicViewTable extends BoxColumns {
  route_id: number
  line_revision: string
  zones_revision: number
  /** Decimal text: the stated length or, if something was clipped, the measured length of the rest. */
  length: string
  miles: number
  measures: string
  geometry_hash: string | null
  /** The clipped lines, as account-routes/public-view/line-blob.ts packs them. */
  lines: Uint8Array
  /**
   * What `shared` was made from; null for a row of an older node, which leaves it unchanged. `shared` is valid only
   * while this names both revisions of the row and what the route shares now.
   */
  shared_of: Generated<string | null>
  /** What is shared besides the lines, packed by account-routes/public-view/shared-blob.ts. */
  shared: Generated<Uint8Array | null>
}

/**
 * A public route in the list: the columns by which it is found and ordered, from its public view (`route_shown`), never
 * from the route itself. Valid only while both revisions are current and the route is public.
 */
export interface PublicRouteTable extends BoxColumns {
  route_id: number
  created_at: number
  miles: number
  /** Metres; -1 if unknown, so that these come last. */
  ascent: number
  line_revision: string
  zones_revision: number
  /** 1 once its rows of `route_trail` are of its line and of the present lines of all trails. */
  has_trails: Generated<number>
  /** JSON: lines of [longitude, latitude], a few points in all. */
  sketch: string
}

/** A trail that a public route uses, with what the list is ordered by. */
export interface RouteTrailTable {
  trail_id: number
  route_id: number
  created_at: number
  miles: number
  ascent: number
}

/** The line of a trail as the routes near it know it. */
export interface TrailRoutedTable {
  trail_id: number
  line_version: string
}

/** A place whose surroundings an account hides. */
export interface ZoneTable {
  id: number
  account_id: number
  name: string
  lat: number
  lon: number
  radius_metres: number
  created_at: number
}

/** One row for each account that ever had a zone. */
export interface ZoneSetTable {
  account_id: number
  /** Grows with every change of the zones; 0 is an account without a row. */
  revision: number
  /** Random, secret, for ever the same: what displaces the clipping circles of the account. */
  salt: string
  /** How, for ever the same, too: see account-routes/zones/zone-circle.ts. */
  displacement: 'disc' | 'ring'
}
