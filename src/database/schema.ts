// The tables as kysely sees them. Times are milliseconds since 1970 UTC, ids are 53-bit, coordinates are text (contract C9).
// Over 300 lines because it is one list: every table and column in one place.

import type { Generated } from 'kysely'
import type { PositionSource, TakenZone } from '../shared/taken.ts'
import type {
  BrandFileTable,
  ChoiceTable,
  ClaimTable,
  DeliveryAttemptTable,
  DeliveryTable,
  ImageDistanceTable,
  ImageHashTable,
  NearPairTable,
  ReportTable,
  TrailLineTable,
  WebhookTable,
} from './review-schema.ts'
import type {
  RouteGpxTable,
  PublicRouteTable,
  RoutePublicViewTable,
  RouteTable,
  RouteTrailTable,
  TrailRoutedTable,
  ZoneSetTable,
  ZoneTable,
} from './route-schema.ts'

export interface TrailTable {
  id: number
  name: string
  slug: string
  /** Grows with every change that a list of the trail can show, in the same transaction as the change. */
  version: number
  created_at: number
  updated_at: Generated<number>
  /** Name and slug, folded, for the filter q. */
  search: Generated<string>
  /** The beginning of the name, folded: what trails are listed by. */
  sort_key: Generated<string>
  /** The box of the line, degrees; null without one. Where west is greater than east, it crosses the antimeridian. */
  west: number | null
  south: number | null
  east: number | null
  north: number | null
  /** Length of the line, along the WGS84 ellipsoid; null without one. */
  miles: number | null
  /** Of the line's elevations, metres; null without any. */
  ascent: number | null
  descent: number | null
  highest: number | null
  lowest: number | null
  /** Incremented by triggers with every change of the line, on every node (migration 0022). */
  line_version: Generated<number>
  /** The version of the line by which all photos of the trail have been measured (images/along). */
  measured_version: Generated<number>
  /** The version of the line of which ascent and descent are, by the present rule (shared/geo/climb.ts). */
  climb_version: Generated<number>
  /** CommonMark. */
  description: Generated<string>
}

export type Role = 'member' | 'reviewer' | 'admin'

export interface AccountTable {
  id: number
  display_name: string
  email: string
  /** The email in lower case: what makes an address unique. */
  email_key: string
  role: Role
  /** argon2id in PHC form; null if the account has no password. */
  password_hash: string | null
  created_at: number
  /** Since when it is suspended; null if it is not. */
  suspended_at: number | null
  /** When a link sent to the address was opened; null if never. */
  email_verified_at: number | null
  /** Since when photos of this account skip review; null if they do not. */
  trusted_at: number | null
  /** When the person left; the row stays, without anything of them, for what refers to it. */
  deleted_at: number | null
  /** Whether mails about own photos and waiting reviews are wanted. */
  mails: Generated<'on' | 'off'>
  /** Code of the language chosen for emails (shared/languages.ts); null if none was. */
  language: string | null
  /** Grows whenever its known devices are forgotten (auth/known-devices.ts). */
  device_epoch: Generated<number>
  /** Bytes of the originals of all its images, in any state: updated with every image that is added or purged. */
  image_bytes: Generated<number>
  /** How many routes it has, and how many bytes of GPX: updated with every route. */
  route_count: Generated<number>
  route_bytes: Generated<number>
  /** Since when it is unclaimed, created by a pull; null if somebody uses it (accounts/unclaimed.ts). */
  unclaimed_at: number | null
}

/** The trails that a reviewer is limited to; no row if there is no limit. */
export interface AccountTrailTable {
  account_id: number
  trail_id: number
}

/** A browser that is signed in. */
export interface SessionTable {
  /** Names it in lists and on revocation; no secret. */
  id: string
  /** SHA-256 of the cookie, hex. */
  token_hash: string
  account_id: number
  created_at: number
  last_seen_at: number
  expires_at: number
  /** What the browser calls itself, clipped. */
  browser: string
  /** How it was begun, such as by password or passkey; null for one of an older version. */
  how: Generated<string | null>
}

export type OneTimeKind = 'reset' | 'email' | 'sign-up' | 'invitation' | 'set-up' | 'passkey'

/** A secret that works once: the links that are mailed or printed, and the challenges of passkeys. */
export interface OneTimeTable {
  /** SHA-256 of the secret, hex. */
  token_hash: string
  kind: OneTimeKind
  account_id: number | null
  /** JSON: what the secret is for, such as an address or a role. */
  data: string
  created_at: number
  expires_at: number
  used_at: number | null
}

export interface PasskeyTable {
  /** base64url, as the browser gives it. */
  credential_id: string
  account_id: number
  /** COSE, base64url. */
  public_key: string
  /** The last value of the authenticator's counter; 0 for those without one. */
  sign_count: number
  /** JSON array. */
  transports: string
  name: string
  created_at: number
  last_used_at: number | null
}

/** Which account a subject of a trusted issuer is. */
export interface ExternalIdentityTable {
  issuer: string
  subject: string
  account_id: number
  created_at: number
}

/** What a person has allowed an application, remembered beyond the grants made from it. */
export interface ConsentTable {
  account_id: number
  client_id: string
  /** Separated by spaces. */
  scope: string
  granted_at: number
}

/** Append-only: who changed which credential, role or setting. */
export interface AuditTable {
  position: number
  at: number
  /** The account that did it; null for the operator's command line and the server itself. */
  actor_id: number | null
  via: 'session' | 'token' | 'command' | 'link' | 'server'
  action: string
  /** The account it concerns. */
  account_id: number | null
  /** JSON, never with a secret in it. */
  detail: string
}

/**
 * The form of a content's original: `stored` as uploaded, and not yet checked whether it can be rebuilt; `whole`, if it
 * cannot; `rebuilt` from size lg and what that lacks; `leaving`, if it can be rebuilt and the stored one is being
 * deleted.
 */
export type OriginalPlace = 'stored' | 'whole' | 'rebuilt' | 'leaving'

/** One row for each distinct upload, however many images show it. */
export interface ContentTable {
  /** SHA-256 of the original, hex. */
  sha256: string
  bytes: number
  /** Set while garbage collection deletes the blobs of unreferenced content; an upload of the same content must wait. */
  condemned_at: number | null
  /** `stored` in rows that an older version adds while nodes are replaced. */
  original: Generated<OriginalPlace>
}

export interface RenditionTable {
  sha256: string
  /** `lg`, size and format such as `sm.jpeg`, or what lg lacks of the original (images/storage/blob-keys.ts). */
  name: string
  bytes: number
  /** SHA-256 of the rendition, hex: detects damage, and is the ETag. */
  digest: string
  /** The version of the rules it was made by (imaging/renditions.ts); 0 for older ones. */
  version: Generated<number>
  /** For the small sizes in one blob: their names, lengths and digests, in their order there. */
  parts: Generated<string | null>
  /** That blob after WebP was made (images/storage/rendition-table.ts). */
  webp: Generated<string | null>
}

export type ImageState = 'pending' | 'approved' | 'rejected' | 'removed' | 'deleted'

export interface ImageTable {
  id: number
  /** Upload order within the trail: the trail's version at the time of the upload. */
  seq: number
  trail_id: number
  submitter_id: number
  state: ImageState
  title: string
  caption: string
  lat: string
  lon: string
  /** The same position as numbers, for filters; null when unknown. */
  latitude: number | null
  longitude: number | null
  mime_type: string
  sha256: string
  bytes: number
  /** Upright size in pixels, EXIF orientation applied. */
  width: number
  height: number
  posted_at: number
  updated_at: number
  /** When details were last set; null if never (contract C18). */
  details_set_at: number | null
  /** The texts that review accepted, for as long as the present ones differ from them; null otherwise (contract C22). */
  accepted_title: string | null
  accepted_caption: string | null
  /** What the last approval of an edit accepted texts in place of, for its undo; null otherwise. */
  prior_title: string | null
  prior_caption: string | null
  /** While it is in the trash: its previous state, since when, and who deleted it. */
  deleted_from: ImageState | null
  deleted_at: number | null
  deleted_by: number | null
  /** Since when it waits for review: pending, edited or reported; null if it does not. */
  queued_at: number | null
  /** Open reports. */
  open_reports: Generated<number>
  /** Map cell: x and y of zoom 24 interleaved, so that every tile is one range; null if the position is unknown. */
  cell: number | null
  /** What the submitter was shown at upload. */
  licence: string | null
  terms_version: string | null
  /** When it was taken, in milliseconds since 1970 UTC, and how many minutes the clock there was ahead of UTC. */
  taken_at: number | null
  taken_offset: number | null
  taken_zone: TakenZone | null
  /** The day of both, such as 2026-05-14, for filters. */
  taken_on: string | null
  position_source: PositionSource | null
  /** Metres. */
  position_accuracy: number | null
  /** Degrees clockwise from true north. */
  direction: number | null
  /** Metres. */
  altitude: number | null
  /** Which of these columns are still to be read from the original: values of images/capture/unread.ts; '' if none. */
  unread: Generated<string>
  /** Along the line of the trail; null if far from it, or if the line or the position is missing. */
  miles_along: number | null
  /**
   * The version of the line by which that was measured; 0 if it is not measured yet (a trigger resets it when the photo
   * is moved).
   */
  along_version: Generated<number>
}

/** Listed photos in each tile of some zooms. Triggers on the images write it, nothing else does (map-squares.ts). */
export interface MapSquareTable {
  zoom: number
  /** The tile: the bits that the cells of everything in it have in common. */
  square: number
  /** At least one. */
  photos: number
  /** The first of them, by cell and then by id. */
  cell: number
  image_id: number
}

/** N-grams of the folded texts of trails, written only by triggers on the trails (trail-grams.ts). */
export interface TrailGramTable {
  gram: string
  /** That of the trail. */
  sort_key: string
  trail_id: number
}

/** What a request with an Idempotency-Key made, remembered for a day (contract C18). */
export interface RetryTable {
  account_id: number
  /** The canonical path it was sent to. */
  path: string
  /** SHA-256 of the key, hex: a key may be anything, so it may be a secret. */
  key_hash: string
  /** SHA-256 of the body, hex. */
  body_sha256: string
  /** Id of the created resource. */
  made_id: number
  expires_at: number
}

/** Append-only: no row is ever changed or deleted. */
export interface ImageHistoryTable {
  /** Shared with the outbox event of the same move. */
  position: number
  image_id: number
  at: number
  actor_id: number
  from_state: ImageState | null
  to_state: ImageState
  reason: string | null
  note: string | null
  /** See history-chain.ts. */
  digest: string
}

export interface OutboxTable {
  position: number
  type: string
  at: number
  image_id: number | null
  /** JSON. */
  data: string
  /** The only account that receives it; null if everyone who can see the image does. */
  account_id: number | null
  /** For events of images: who may receive them, even after the image is deleted. */
  trail_id: number | null
  submitter_id: number | null
  from_state: ImageState | null
  to_state: ImageState | null
}

/**
 * Numbers assigned under a row lock, so that they have no gaps and follow the order of commits (`outbox`), and counts
 * that are updated with what they count (`images:pending` and so on).
 */
export interface CounterTable {
  name: string
  value: number
}

export interface ApiKeyTable {
  /** SHA-256 of the key, hex. The key itself is never stored. */
  key_hash: string
  prefix: string
  account_id: number
  name: string
  created_at: number
  expires_at: number | null
  revoked_at: number | null
  last_used_at: number | null
}

export interface OauthClientTable {
  id: string
  account_id: number
  name: string
  /** SHA-256 of the secret, hex; null for a public client. */
  secret_hash: string | null
  /** Scopes it may ask for, separated by spaces. */
  scope: string
  /** JSON array. */
  redirect_uris: string
  created_at: number
  /** When an admin or the operator approved its redirect URIs; null if nobody has. */
  approved_at: number | null
}

/** The origins of a client's redirect addresses: pages of these may call the token endpoint and the API. */
export interface OauthClientOriginTable {
  client_id: string
  origin: string
}

export interface OauthObjectTable {
  /** The provider's model name, such as ClientCredentials. */
  kind: string
  /** SHA-256 of the opaque id, hex. */
  id_hash: string
  /** JSON, without the id that would be the token itself. */
  payload: string
  grant_id: string | null
  user_code: string | null
  uid: string | null
  expires_at: number | null
  consumed_at: number | null
  /** For tokens, codes and grants: the account that granted them and their client. */
  account_id: number | null
  client_id: string | null
}

export interface SigningKeyTable {
  id: string
  /** The private JWK, encrypted with the secret of SECRET_FILE. */
  sealed: string
  created_at: number
}

/** One row while the installation is read-only, else none. */
export interface ReadOnlyTable {
  id: number
  since: number
  reason: string
}

/** What the installation notes about itself (installation-facts.ts). */
export interface InstallationFactTable {
  name: string
  value: string
  noted_at: number
}

/** What was pulled from another server, however it has changed here since. A row outlives its subject. */
export interface PulledTable {
  /** An account has a row where a pull made it, or where the operator said that it is the same person there. */
  kind: 'trail' | 'image' | 'route' | 'account'
  id: number
  /** Address of the other server. */
  source: string
  /** SHA-256 of what that server last said of it, hex; empty for an account. */
  digest: string
  /** Of the file of a photo; null for size lg, and for anything else. */
  form: Generated<'original' | null>
}

/** Requests counted over all nodes; only in PostgreSQL (postgres/shared-counts.ts). */
export interface RateWindowTable {
  policy: string
  bucket: string
  count: number
  ends_at: number
}

export interface Schema {
  trail: TrailTable
  account: AccountTable
  content: ContentTable
  rendition: RenditionTable
  image: ImageTable
  image_history: ImageHistoryTable
  outbox: OutboxTable
  counter: CounterTable
  api_key: ApiKeyTable
  oauth_client: OauthClientTable
  oauth_object: OauthObjectTable
  signing_key: SigningKeyTable
  read_only: ReadOnlyTable
  installation_fact: InstallationFactTable
  pulled: PulledTable
  retry: RetryTable
  account_trail: AccountTrailTable
  session: SessionTable
  one_time: OneTimeTable
  passkey: PasskeyTable
  external_identity: ExternalIdentityTable
  consent: ConsentTable
  oauth_client_origin: OauthClientOriginTable
  audit: AuditTable
  route: RouteTable
  route_gpx: RouteGpxTable
  route_shown: RoutePublicViewTable
  public_route: PublicRouteTable
  route_trail: RouteTrailTable
  trail_routed: TrailRoutedTable
  zone: ZoneTable
  zone_set: ZoneSetTable
  trail_line: TrailLineTable
  map_square: MapSquareTable
  trail_gram: TrailGramTable
  image_hash: ImageHashTable
  near_pair: NearPairTable
  image_distance: ImageDistanceTable
  claim: ClaimTable
  report: ReportTable
  choice: ChoiceTable
  brand_file: BrandFileTable
  webhook: WebhookTable
  delivery: DeliveryTable
  delivery_attempt: DeliveryAttemptTable
  rate_window: RateWindowTable
}
