// Who is calling and what they may do: the only place where authorisation is decided (contract C28–C31).
// Over 300 lines because it is the only one.
import type { AuditActor } from '../accounts/audit/audit.ts'
import type { ImageState, Role } from '../database/schema.ts'
import { refuse, type Refusal } from '../errors.ts'
import { inEach } from '../texts/texts.ts'
import type { EventHearing } from '../shared/event-types.ts'
import { actions, type Action } from './actions.ts'
import { minRoleOf, roles } from './roles.ts'
import { scopes, type Scope } from './scopes.ts'

/** Who is calling, as auth/identify.ts established it. */
export type Actor =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'key'; readonly keyHash: string; readonly accountId: number }
  | {
      readonly kind: 'account'
      readonly accountId: number
      /** The account's role at this moment, never one that a token claims. */
      readonly role: Role
      /** The trails a reviewer is limited to; undefined where there is no limit. */
      readonly trails?: ReadonlySet<number> | undefined
      readonly scopes: ReadonlySet<Scope>
      /**
       * How the account is here. `session`: the person, in a browser that is signed in. `client`: the account's own
       * client, by client credentials. `application`: one that the person allowed something. `issuer`: a token from elsewhere.
       */
      readonly via: 'session' | 'client' | 'application' | 'issuer'
      /** Of a session; `signedInAt` in milliseconds since 1970 UTC. */
      readonly sessionId?: string
      readonly signedInAt?: number
      readonly displayName?: string
      /**
       * Staff who signed in without a passkey where STAFF_SIGN_IN requires one. Then the role here is that of a member,
       * and the session is told who it is and may add its first passkey; elsewhere it is a visitor (auth/identify.ts).
       */
      readonly awaitsPasskey?: true
    }

export type AccountActor = Extract<Actor, { kind: 'account' }>

export const anonymous: Actor = { kind: 'anonymous' }

/**
 * What every endpoint states in its route options; http/safety.ts refuses to register one that states nothing.
 * `public`: anyone, a credential is looked at but never asked for. `reader`: an API key or a bearer token, and where it
 * `isForVisitors` none from a page of ours, which shows what is listed to whoever visits it.
 * `bearer`: a bearer token, or the browser session of a page of ours. `visitor`: the same or none at all; whoever brings a
 * token that is no good is told so. `open`: no credential is even looked at (health,
 * documents, the OAuth endpoints). `page`: a page for people, which shows itself according to who is signed in, and
 * takes forms from pages of ours only.
 */
export type AccessStatement =
  | { readonly credential: 'open' }
  | { readonly credential: 'page' }
  | { readonly credential: 'public' | 'visitor'; readonly action: Action }
  | {
      readonly credential: 'reader'
      readonly action: Action
      /** Never on the classic surface, whose every read takes a credential (contract C28). */
      readonly isForVisitors?: true
    }
  | {
      readonly credential: 'bearer'
      readonly action: Action
      /** A token that is wrong, though not one that has expired, is 403 here: classic routes (contract C30). */
      readonly wrongToken?: 'forbidden'
    }

/** May somebody without a credential be here, where a page of ours asks for them? */
export function isForVisitors(access: AccessStatement): boolean {
  return access.credential === 'visitor' || (access.credential === 'reader' && access.isForVisitors === true)
}

/** What authorisation needs to know of an image. */
export interface GuardedImage {
  readonly state: ImageState
  readonly submitterId: number
  readonly trailId: number
}

/** What authorisation needs to know of a route, of a set of routes, or of zones: whose they are. */
export interface OwnedThing {
  readonly accountId: number
}

/** Staff power is a role and a scope: a reviewer's token without images:review acts as any member's. */
export function isStaff(actor: Actor): actor is AccountActor {
  return actor.kind === 'account' && actor.role !== 'member' && actor.scopes.has('images:review')
}

/** Staff power over this trail: a reviewer may be limited to some (contract, Part D). */
function isStaffOf(actor: Actor, trailId: number): boolean {
  return isStaff(actor) && (actor.trails === undefined || actor.trails.has(trailId))
}

export function isSubmitter(actor: Actor, image: GuardedImage): boolean {
  return actor.kind === 'account' && actor.accountId === image.submitterId
}

/** Deleted answers as unknown to everyone; anything else is shown to those who may act on it. */
function isInsider(actor: Actor, image: GuardedImage): boolean {
  return image.state !== 'deleted' && (isStaffOf(actor, image.trailId) || isSubmitter(actor, image))
}

/** Does the deleted image exist for the actor? For those who may restore it; to everyone else it answers as unknown. */
function maySeeInTrash(actor: Actor, image: GuardedImage): boolean {
  return isStaffOf(actor, image.trailId) || isSubmitter(actor, image)
}

export function isOwner(actor: Actor, { accountId }: OwnedThing): actor is AccountActor {
  return actor.kind === 'account' && actor.accountId === accountId
}

/** What anybody may learn of the actor's own routes, and no more, is for whoever lacks this (contract C36). */
export function maySeeOwnRoutes(actor: Actor, owned: OwnedThing): boolean {
  return isOwner(actor, owned) && actor.scopes.has(actions['view-route'])
}

/** May the actor read the details of the image (contract C3)? Where not, the image does not exist for them. */
export function maySeeDetails(actor: Actor, image: GuardedImage): boolean {
  return image.state === 'approved' || isInsider(actor, image)
}

/** May the actor read who decided on the image, and their notes? The submitter learns what was decided, not by whom. */
export function maySeeReviewers(actor: Actor, { trailId }: GuardedImage): boolean {
  return isStaffOf(actor, trailId)
}

/**
 * May the actor have the file as it was uploaded, with everything that its metadata tells? No review needs that, so of staff
 * it is for admins alone, and not through an application that they allowed to review.
 * @throws refusals `insufficient-scope`, `forbidden` for an admin.
 */
function mayHaveOriginal(actor: Actor, image: GuardedImage): boolean {
  if (isSubmitter(actor, image)) return true
  if (actor.kind !== 'account' || actor.role !== 'admin') return false
  requireScope(actor, 'review-image')
  if (actor.via === 'session' || actor.via === 'client') return true
  throw refuse('forbidden', { detail: inEach(({ access }) => access.originals) })
}

/** Whom an event concerns; in an event of some kind all is null that its kind does not ask for. */
export interface Concerned {
  readonly accountId: number | null
  /** Of an image. */
  readonly trailId: number | null
  readonly submitterId: number | null
  /** The state of the image just before the event; null before the upload. */
  readonly from: ImageState | null
  /** And at this moment; null where the image is gone for good. */
  readonly now: ImageState | null
}

const isSomething = (state: ImageState | null): boolean => state !== null && state !== 'deleted'

/** The result of `maySeeDetails` for each state: decided once for actors who see every image. */
function mayHearOfImages(actor: AccountActor): (concerned: Concerned) => boolean {
  const seesAll = isStaff(actor) && actor.trails === undefined
  return ({ trailId, submitterId, from, now }) => {
    if (trailId === null || submitterId === null) return false
    if (from === 'approved' || now === 'approved') return true
    if (!isSomething(from) && !isSomething(now)) return false
    return seesAll || isInsider(actor, { trailId, submitterId, state: 'pending' })
  }
}

/**
 * Which events of this kind may the actor hear of? Feed, stream and webhooks tell only what the actor can GET now or could
 * just before the event (contract, Part D), and a token only what its scopes could read. What depends on the actor alone is
 * decided here, for however many events.
 */
export function mayHear(actor: Actor, { hearers, scope }: EventHearing): (concerned: Concerned) => boolean {
  if (actor.kind !== 'account' || !actor.scopes.has(scope)) return () => false
  switch (hearers) {
    case 'image-viewers':
      return mayHearOfImages(actor)
    case 'owner':
      return ({ accountId }) => accountId === actor.accountId
    case 'everyone':
      return () => true
  }
}

/** May the actor have the bytes of the image (contract A5, C24, C27)? `pendingView` is the setting PENDING_VIEW. */
export function maySeeFile(actor: Actor, image: GuardedImage, pendingView: 'anyone' | 'owner'): boolean {
  if (image.state === 'approved' || isInsider(actor, image)) return true
  return image.state === 'pending' && pendingView === 'anyone'
}

/** May the actor read the submitter's email address (contract C40)? */
export function maySeeEmail(actor: Actor, image: GuardedImage): boolean {
  return isInsider(actor, image)
}

/** Setting TAKEN_AT: how exactly those who may see a photo learn when it was taken. */
export type TakenAtSetting = 'day' | 'exact' | 'hidden'

/** How much of the moment a photo was taken in does the actor learn, and of how it was (contract C43)? */
export function momentShownTo(actor: Actor, image: GuardedImage, takenAt: TakenAtSetting): TakenAtSetting {
  return isInsider(actor, image) ? 'exact' : takenAt
}

/** Of which listed images of a trail may the actor ask when they were taken (contract C43)? */
export function daysSearchableBy(
  actor: Actor,
  trailId: number,
  takenAt: TakenAtSetting,
): 'all' | 'none' | { readonly submitterId: number } {
  if (takenAt !== 'hidden' || isStaffOf(actor, trailId)) return 'all'
  return actor.kind === 'account' ? { submitterId: actor.accountId } : 'none'
}

function requireScope(actor: AccountActor, action: Action): void {
  const scope = actions[action]
  if (scope === null || actor.scopes.has(scope)) return
  throw refuse('insufficient-scope', {
    detail: inEach(({ access }) => access.scope(scope)),
    headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  })
}

/** What a session may do that waits for its passkey. */
const openWithoutPasskey: ReadonlySet<Action> = new Set([
  'view-site',
  'view-self',
  'list-passkeys',
  'add-passkey',
])

/** @throws refusal `passkey-required`: also for what a page does by itself, such as allowing an application. */
export function requirePasskey(actor: Actor): void {
  if (actor.kind === 'account' && actor.awaitsPasskey) throw refuse('passkey-required')
}

function requireSession(actor: Actor): asserts actor is AccountActor {
  if (actor.kind === 'account' && actor.via === 'session') return
  throw refuse('forbidden', { detail: inEach(({ access }) => access.onlySession) })
}

/** Does the image exist for the actor? What is in the trash does for those who may restore it, and for nothing else. */
function isThere(actor: Actor, action: Action, image: GuardedImage): boolean {
  if (image.state !== 'deleted') return maySeeDetails(actor, image)
  return action === 'delete-image' && maySeeInTrash(actor, image)
}

/**
 * The gate of existence, scope, role and ownership, in this order (contract C31). An image that the actor may not see
 * answers as unknown, whatever is asked of it: otherwise the answers would tell which ids are those of pending photos.
 * @throws refusals `invalid-image-id`, `insufficient-scope`, `forbidden`, `passkey-required`.
 */
export function permit(actor: Actor, action: Action, image?: GuardedImage): void {
  if (image && !isThere(actor, action, image)) throw refuse('invalid-image-id')
  if (!openWithoutPasskey.has(action)) requirePasskey(actor)
  // A session has every scope of the role, so what it lacks is the role: the sentence below says which.
  if (actor.kind === 'account' && actor.via !== 'session') requireScope(actor, action)
  switch (action) {
    case 'list-images':
    case 'list-trails':
    case 'list-public-routes':
    case 'view-image':
    case 'report-image':
    case 'view-site':
      return // which images is for maySeeDetails and maySeeFile; a key sees listed ones only
    case 'upload-image':
      if (actor.kind !== 'account') throw refuse('forbidden')
      return
    case 'view-original':
      if (!image || !mayHaveOriginal(actor, image)) throw refuse('invalid-image-id')
      return
    case 'edit-image':
      if (!image || !isInsider(actor, image)) {
        throw refuse('forbidden', { detail: inEach(({ access }) => access.changeImage) })
      }
      return
    case 'delete-image': // also takes it out of the trash, where nobody is an insider any more
      if (image && actor.kind === 'account' && (isSubmitter(actor, image) || isStaffOf(actor, image.trailId)))
        return
      throw refuse('forbidden', { detail: inEach(({ access }) => access.deleteImage) })
    case 'view-history':
      if (image && isInsider(actor, image)) return
      throw refuse('forbidden', { detail: inEach(({ access }) => access.imageHistory) })
    case 'manage-trails':
      if (actor.kind === 'account' && actor.role === 'admin') return
      throw refuse('forbidden', { detail: inEach(({ access }) => access.changeTrails) })
    case 'view-queue':
    case 'review-image':
      if (!isStaff(actor)) throw refuse('forbidden', { detail: inEach(({ access }) => access.review) })
      if (image && !isStaffOf(actor, image.trailId)) {
        throw refuse('forbidden', { detail: inEach(({ access }) => access.otherTrails) })
      }
      return
    case 'list-routes':
    case 'view-route':
    case 'create-route':
    case 'change-route': // whose is for permitOwner
    case 'view-self':
    case 'hear-events':
      if (actor.kind !== 'account') throw refuse('forbidden')
      return
    case 'list-zones':
    case 'manage-zones':
      // Where somebody lives is no application's business.
      if (actor.kind === 'account' && (actor.via === 'session' || actor.via === 'client')) return
      throw refuse('forbidden', {
        detail: inEach(({ access }) => access.zones),
      })
    case 'list-webhooks':
    case 'manage-webhooks':
      // A webhook outlives the token it was made with, as a key does.
      if (actor.kind === 'account' && (actor.via === 'session' || actor.via === 'client')) return
      throw refuse('forbidden', {
        detail: inEach(({ access }) => access.webhooks),
      })
    case 'list-keys':
    case 'manage-keys':
      // A key outlives the token it was made with, so an application that was allowed to read may not make one.
      if (actor.kind === 'account' && (actor.via === 'session' || actor.via === 'client')) return
      throw refuse('forbidden', {
        detail: inEach(({ access }) => access.keys),
      })
    case 'view-own-account':
    case 'manage-own-account':
    case 'list-passkeys':
    case 'add-passkey':
      requireSession(actor)
      return
    case 'view-administration':
    case 'administer':
      requireSession(actor)
      if (actor.role !== 'admin')
        throw refuse('forbidden', { detail: inEach(({ access }) => access.onlyAdmins) })
      return
  }
}

/**
 * The gate of scope and ownership for routes and zones: they are their owner's alone, whoever else is an admin. It is asked
 * before anything is looked up among them, so that its answer never tells whether a route exists.
 * @throws refusals `insufficient-scope`, `forbidden`.
 */
export function permitOwner(actor: Actor, action: Action, owned: OwnedThing): void {
  const { accountId } = accountOf(actor)
  permit(actor, action)
  if (accountId === owned.accountId) return
  throw refuse('forbidden', {
    detail: inEach(({ access }) => access.ownRoutes),
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  })
}

/**
 * How a route is refused that the actor is not shown. It is never told from one that does not exist: whoever brought no
 * token is asked for one, and whose token lacks the scope hears that.
 */
export function hiddenRoute(actor: Actor): Refusal {
  if (actor.kind !== 'account') {
    return refuse('credential-required', {
      detail: inEach(({ access }) => access.hiddenRoute),
      headers: { 'WWW-Authenticate': 'Bearer' },
    })
  }
  requireScope(actor, 'view-route')
  return refuse('invalid-route-id')
}

/** Every scope that an account of the role may have: what a session has, and the most that anything else may be granted. */
export function scopesOfRole(role: Role): ReadonlySet<Scope> {
  return new Set(scopes.filter((scope) => roles.indexOf(minRoleOf(scope)) <= roles.indexOf(role)))
}

/** The actor as far as looking at files goes: a token without images:read sees what anyone sees. */
export function viewerOf(actor: Actor): Actor {
  return actor.kind === 'account' && actor.scopes.has(actions['view-image']) ? actor : anonymous
}

/** The actor as the audit knows them. @throws refusal `forbidden` for a key or nobody. */
export function auditActorOf(actor: Actor): AuditActor {
  const { accountId, via } = accountOf(actor)
  return { accountId, via: via === 'session' ? 'session' : 'token' }
}

/** The account behind the actor. @throws refusal `forbidden` for a key or nobody. */
export function accountOf(actor: Actor): AccountActor {
  if (actor.kind !== 'account') throw refuse('forbidden')
  return actor
}
