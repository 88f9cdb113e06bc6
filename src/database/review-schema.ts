// The tables of review, events and maps; conventions as in schema.ts.
import type { Generated } from 'kysely'

/** The line of a trail, by which a photo is found to be far from it. */
export interface TrailLineTable {
  trail_id: number
  /** JSON: a GeoJSON LineString or MultiLineString. */
  geometry: string
}

/**
 * The 64-bit dHash of an image, in hex and in four bands of 16 bits: two hashes that differ in up to seven bits have a
 * band in which they differ in one at most, so near-duplicates are found by index.
 */
export interface ImageHashTable {
  image_id: number
  trail_id: number
  /** 16 hex digits. */
  dhash: string
  band_0: number
  band_1: number
  band_2: number
  band_3: number
  /** How far `near_pair` goes for it: see events/near-pairs-table.ts. */
  paired: number | null
}

/** Another photo on the trail that looks like this one; each of the two has its own row. */
export interface NearPairTable {
  image_id: number
  /** In how many bits their hashes differ. */
  bits: number
  other_id: number
}

/**
 * How far a photo is from the line of its trail; with it the place of the photo, and what changes in the row of the trail
 * whenever its line may have. Where either is another by now, it says nothing.
 */
export interface ImageDistanceTable {
  image_id: number
  /** Null if the line has no vertex. */
  metres: number | null
  latitude: number | null
  longitude: number | null
  updated_at: number
  miles: number | null
  west: number | null
  south: number | null
  east: number | null
  north: number | null
}

/** Who is looking at an image just now, so that two reviewers do not decide on the same ones. */
export interface ClaimTable {
  image_id: number
  account_id: number
  expires_at: number
}

/** A visitor's report of a listed photo. */
export interface ReportTable {
  id: number
  image_id: number
  at: number
  /** Null if nobody was signed in. */
  reporter_id: number | null
  reason: string
  note: string
  closed_at: number | null
  closed_by: number | null
}

/** What an admin sets while the server runs: reason codes, photo licence, terms, branding. */
export interface ChoiceTable {
  name: string
  /** JSON. */
  value: string
  changed_at: number
}

/** The pictures of the site, which the choice `branding` names. */
export interface BrandFileTable {
  /** SHA-256 of the bytes, hex. */
  hash: string
  /** A PNG. */
  bytes: Uint8Array
}

export interface WebhookTable {
  id: number
  account_id: number
  url: string
  /** JSON array of event types. */
  events: string
  /** The scopes of the credential that created it, separated by spaces: the webhook never receives more. */
  scope: string
  /** The signing secret, sealed with SECRET_FILE. */
  secret: string
  created_at: number
  /** Null while it is enabled. */
  disabled_at: number | null
  disabled_reason: string | null
  /** The newest position when it was created or enabled again: it receives later events. */
  told_from: Generated<number>
  /** The first failed attempt since the last successful one; null if none has failed since. */
  failing_since: number | null
}

export type DeliveryState = 'waiting' | 'delivered' | 'failed'

/** One event for one webhook; its attempts are in delivery_attempt. */
export interface DeliveryTable {
  id: number
  webhook_id: number
  /** Position in the outbox; null for a test send. */
  position: number | null
  type: string
  /** JSON: the body's data, as the event carried it. */
  data: string
  at: number
  state: DeliveryState
  attempts: number
  /** When it is due; during an attempt, when the attempt is given up. */
  next_at: number | null
  finished_at: number | null
}

export interface DeliveryAttemptTable {
  id: number
  delivery_id: number
  at: number
  /** HTTP status; null if there was no response. */
  status: number | null
  /** One sentence. */
  error: string | null
  milliseconds: number
}
