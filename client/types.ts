// The types of all documents, derived from the schemas that the server validates with and documents.
import type { Static } from 'typebox'
import type * as accounts from '../src/shared/v2/account-schemas.ts'
import type * as administration from '../src/shared/v2/admin-schemas.ts'
import type * as branding from '../src/shared/v2/branding-schemas.ts'
import type * as events from '../src/shared/v2/event-schemas.ts'
import type * as photos from '../src/shared/v2/image-schemas.ts'
import type * as jobs from '../src/shared/v2/job-schemas.ts'
import type * as leaving from '../src/shared/v2/leaving-schemas.ts'
import type * as maps from '../src/shared/v2/map-schemas.ts'
import type * as passkeys from '../src/shared/v2/passkey-schemas.ts'
import type * as publicRoutes from '../src/shared/v2/public-route-schemas.ts'
import type * as queue from '../src/shared/v2/queue-schemas.ts'
import type * as review from '../src/shared/v2/review-schemas.ts'
import type * as routes from '../src/shared/v2/route-schemas.ts'
import type * as images from '../src/shared/v2/schemas.ts'
import type * as siteMaps from '../src/shared/v2/site-map-schemas.ts'
import type * as site from '../src/shared/v2/site-schemas.ts'
import type * as trails from '../src/shared/v2/trail-schemas.ts'
import type * as webhooks from '../src/shared/v2/webhook-schemas.ts'

/** A request body: optional fields may be undefined, as form values are. */
export type Sent<Body> = {
  readonly [Name in keyof Body]: Partial<Pick<Body, Name>> extends Pick<Body, Name>
    ? Body[Name] | undefined
    : Body[Name]
}

/** west, south, east, north in degrees, as a list or comma-separated. */
export type Bbox = string | readonly [west: number, south: number, east: number, north: number]

export type Role = 'member' | 'reviewer' | 'admin'
export type LineGeometry = NonNullable<Trail['geometry']>

export type Trail = Static<typeof trails.Trail>
export type TrailSummary = trails.TrailSummary
export type TrailCollection = Static<typeof trails.TrailCollection>
export type TrailImport = trails.TrailImport
export type TrailProfile = trails.TrailProfile
export type NewTrail = Sent<Static<typeof trails.NewTrail>>
export type WholeTrail = Sent<Static<typeof trails.WholeTrail>>

export type Image = images.Image
export type ImageSize = keyof Image['urls']
/** Review actions for a photo. */
export type Decision = ReviewDecision['decision']
export type ImagePatch = Sent<photos.ImagePatch>
export type ImageDetails = Sent<photos.ImageDetails>
export type ImagesAlong = photos.ImagesAlong
export type ImageAlong = ImagesAlong['images'][number]
export type TakenMonths = photos.TakenMonths
export type TakenMonth = TakenMonths['months'][number]
export type TrashedImage = photos.TrashedImage
export type PhotoTerms = photos.PhotoTerms
export type Licence = NonNullable<PhotoTerms['licence']>
export type Terms = NonNullable<PhotoTerms['terms']>
export type NewPhotoTerms = photos.NewPhotoTerms
export type Branding = branding.Branding
export type NewBranding = branding.NewBranding
export type HistoryEntry = review.HistoryEntry
export type ImageStatus = NonNullable<HistoryEntry['from']>
export type ImageGeoJson = Static<typeof maps.ImageGeoJson>
export type TileJson = maps.TileJson

export type ReviewDecision = Sent<images.ReviewDecision>
export type UndoRequest = Sent<Static<typeof review.UndoRequest>>
export type BulkDecision = Sent<Static<typeof review.BulkDecision>>
export type BulkResults = Static<typeof review.BulkResults>
export type ClaimRequest = Sent<Static<typeof review.ClaimRequest>>
export type ClaimResults = Static<typeof review.ClaimResults>
export type ReviewReasons = Static<typeof review.ReviewReasons>
export type ReviewReasonSet = Static<typeof review.ReviewReasonSet>
export type ReviewReason = ReviewReasonSet['items'][number]
export type QueueItem = queue.QueueItem
export type ReviewFlag = queue.ReviewFlag
export type QueueSummary = Static<typeof queue.QueueSummary>
export type NewReport = Sent<Static<typeof queue.NewReport>>
export type MadeReport = Static<typeof queue.MadeReport>
export type Report = queue.Report
export type ReportReason = NewReport['reason']
export type ReportDismissal = Sent<Static<typeof queue.ReportDismissal>>
export type DismissedReports = Static<typeof queue.DismissedReports>

export type Route = routes.Route
export type RouteSummary = routes.RouteSummary
export type RouteOverview = routes.RouteOverview
export type PublicRoute = publicRoutes.PublicRoute
export type NewRoute = Sent<routes.NewRoute>
export type RoutePatch = Sent<Static<typeof routes.RoutePatch>>
export type RouteGeoJson = Static<typeof maps.RouteGeoJson>
export type ImportResults = Static<typeof routes.ImportResults>
export type ImportResult = ImportResults['results'][number]
export type Zone = routes.Zone
export type ZoneSet = routes.ZoneSet
export type HiddenSize = ZoneSet['hiddenSizes'][number]
export type NewZone = Sent<Static<typeof routes.NewZone>>

export type Me = accounts.Me
export type MePatch = Sent<Static<typeof accounts.MePatch>>
export type ApiKey = accounts.ApiKey
export type NewApiKey = Sent<Static<typeof accounts.NewApiKey>>
export type MadeApiKey = accounts.MadeApiKey
export type ApiKeyRotation = Sent<Static<typeof accounts.ApiKeyRotation>>
export type Session = accounts.Session
export type GrantedApp = accounts.GrantedApp
export type OwnClient = accounts.OwnClient
export type NewOwnClient = Sent<Static<typeof accounts.NewOwnClient>>
export type MadeOwnClient = Static<typeof accounts.MadeOwnClient>
export type OwnClientPatch = Sent<Static<typeof accounts.OwnClientPatch>>
export type OwnClientSecret = Static<typeof accounts.OwnClientSecret>
export type PasswordChange = Static<typeof accounts.PasswordChange>
export type EmailChange = Static<typeof accounts.EmailChange>
export type EmailChanged = Static<typeof accounts.EmailChanged>
export type Passkey = passkeys.Passkey
export type NewPasskey = Sent<Static<typeof passkeys.NewPasskey>>
export type PasskeyOptionsRequest = Sent<Static<typeof passkeys.PasskeyOptionsRequest>>
export type PasskeyRemoval = Sent<Static<typeof passkeys.PasskeyRemoval>>
export type Leaving = Sent<Static<typeof leaving.Leaving>>
export type LeavingReport = leaving.LeavingReport
export type AccountDeletion = Sent<Static<typeof leaving.AccountDeletion>>

export type AdminAccount = Static<typeof administration.AdminAccount>
export type NewAccount = Sent<Static<typeof administration.NewAccount>>
export type AccountPatch = Sent<Static<typeof administration.AccountPatch>>
export type Link = Static<typeof administration.Link>
export type Invitation = Static<typeof administration.Invitation>
export type NewInvitation = Sent<Static<typeof administration.NewInvitation>>
export type MadeInvitation = Static<typeof administration.MadeInvitation>
export type AdminClient = Static<typeof administration.AdminClient>
export type NewAdminClient = Sent<Static<typeof administration.NewAdminClient>>
export type MadeClient = Static<typeof administration.MadeClient>
export type ClientPatch = Sent<Static<typeof administration.ClientPatch>>
export type ClientSecret = Static<typeof administration.ClientSecret>
export type Setting = Static<typeof administration.Setting>
export type AuditEntry = Static<typeof administration.AuditEntry>
export type JobReport = jobs.JobReport
export type StorageReport = administration.StorageReport
export type SiteMap = siteMaps.SiteMap
export type SiteMapFile = siteMaps.SiteMapFile
export type SiteMapChoice = Sent<siteMaps.SiteMapChoice>

export type Webhook = webhooks.Webhook
export type NewWebhook = Sent<webhooks.NewWebhook>
export type MadeWebhook = webhooks.MadeWebhook
export type WebhookPatch = Sent<webhooks.WebhookPatch>
export type WebhookEvent = Webhook['events'][number]
export type Delivery = webhooks.Delivery

export type SiteInfo = site.SiteInfo

export type WaymarkEvent = events.Event
export type EventType = WaymarkEvent['type']
export type EventSet = Static<typeof events.EventSet>
