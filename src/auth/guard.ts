// Who is calling and what they may do: the only place that decides on authorisation (contract C28–C31).
// Over 300 lines because it is the only one.
import type { AuditActor } from '../accounts/audit/audit.ts'
import type { ImageState, Role } from '../database/schema.ts'
import { refuse, type Refusal } from '../errors.ts'
import { inEach } from '../texts/texts.ts'
import type { EventAccess } from '../shared/event-types.ts'
import { actions, type Action } from './actions.ts'
import { minRoleOf, roles } from './roles.ts'
import { scopes, type Scope } from './scopes.ts'

/** The caller, as auth/identify.ts identified it. */
export type Actor =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'key'; readonly keyHash: string; readonly accountId: number }
  | {
      readonly kind: 'account'
      readonly accountId: number
      /** The account's current role, never one that a token claims. */
      readonly role: Role
      /** The trails a reviewer is limited to; undefined where there is no limit. */
      readonly trails?: ReadonlySet<number> | undefined
      readonly scopes: ReadonlySet<Scope>
      /**
       * How the account is acting. `session`: a user in a signed-in browser. `client`: the account's own client, by
       * client credentials. `application`: one that the user authorized. `issuer`: a token of a trusted issuer.
       */
      readonly via: 'session' | 'client' | 'application' | 'issuer'
      /** Of a session; `signedInAt` in milliseconds since 1970 UTC. */
      readonly sessionId?: string
      readonly signedInAt?: number
      readonly displayName?: string
      /**
       * Staff who signed in without a passkey although STAFF_SIGN_IN requires one. Their role is then member, and the
       * session may only see its own account and add its first passkey; elsewhere it counts as a visitor
       * (auth/identify.ts).
       */
      readonly awaitsPasskey?: true
    }

export type AccountActor = Extract<Actor, { kind: 'account' }>

export const anonymous: Actor = { kind: 'anonymous' }

/**
 * The access that every endpoint states in its route options; http/safety.ts refuses to register one without.
 * `public`: anyone; a credential is read but never required. `reader`: an API key or a bearer token; with
 * `isForVisitors`, pages of this site need none, since they show listed content to every visitor. `bearer`: a bearer
 * token, or the browser session of a page of this site. `visitor`: the same or nothing, but an invalid token is
 * refused. `open`: no credential is read (health, documents, the OAuth endpoints). `page`: an HTML page that depends on
 * who is signed in, and accepts forms only from pages of this site.
 */
export type AccessStatement =
  | { readonly credential: 'open' }
  | { readonly credential: 'page' }
  | { readonly credential: 'public' | 'visitor'; readonly action: Action }
  | {
      readonly credential: 'reader'
      readonly action: Action
      /** Never set on the classic surface, where every read needs a credential (contract C28). */
      readonly isForVisitors?: true
    }
  | {
      readonly credential: 'bearer'
      readonly action: Action
      /** An invalid token, unless it has only expired, is 403: classic routes (contract C30). */
      readonly wrongToken?: 'forbidden'
    }

/** May pages of this site call this endpoint without a credential? */
export function isForVisitors(access: AccessStatement): boolean {
  return access.credential === 'visitor' || (access.credential === 'reader' && access.isForVisitors === true)
}

/** What authorisation needs to know of an image. */
export interface GuardedImage {
  readonly state: ImageState
  readonly submitterId: number
  readonly trailId: number
}

/** What authorisation needs to know about a route, a set of routes, or zones: their owner. */
export interface OwnedThing {
  readonly accountId: number
}

/** Staff rights need a role and a scope: without images:review, a reviewer's token has the rights of a member. */
export function isStaff(actor: Actor): actor is AccountActor {
  return actor.kind === 'account' && actor.role !== 'member' && actor.scopes.has('images:review')
}

/** Staff rights on this trail: a reviewer may be limited to some trails (contract, Part D). */
function isStaffOf(actor: Actor, trailId: number): boolean {
  return isStaff(actor) && (actor.trails === undefined || actor.trails.has(trailId))
}

export function isSubmitter(actor: Actor, image: GuardedImage): boolean {
  return actor.kind === 'account' && actor.accountId === image.submitterId
}

/** A deleted image does not exist for anyone; otherwise, those who may act on an image can see it. */
function isInsider(actor: Actor, image: GuardedImage): boolean {
  return image.state !== 'deleted' && (isStaffOf(actor, image.trailId) || isSubmitter(actor, image))
}

/** Does the deleted image exist for the actor? Only if they may restore it. */
function maySeeInTrash(actor: Actor, image: GuardedImage): boolean {
  return isStaffOf(actor, image.trailId) || isSubmitter(actor, image)
}

export function isOwner(actor: Actor, { accountId }: OwnedThing): actor is AccountActor {
  return actor.kind === 'account' && actor.accountId === accountId
}

/** Without this, the actor sees of their own routes only what everyone sees (contract C36). */
export function maySeeOwnRoutes(actor: Actor, owned: OwnedThing): boolean {
  return isOwner(actor, owned) && actor.scopes.has(actions['view-route'])
}

/** May the actor read the details of the image (contract C3)? If not, the image does not exist for them. */
export function maySeeDetails(actor: Actor, image: GuardedImage): boolean {
  return image.state === 'approved' || isInsider(actor, image)
}

/** May the actor read who decided on the image, and their notes? Submitters see the decision, but not who made it. */
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

/** Whom an event concerns. Fields that its kind does not use are null. */
export interface Concerned {
  readonly accountId: number | null
  /** Of an image. */
  readonly trailId: number | null
  readonly submitterId: number | null
  /** The state of the image just before the event; null before the upload. */
  readonly from: ImageState | null
  /** The state now; null if the image was purged. */
  readonly now: ImageState | null
}

const isSomething = (state: ImageState | null): boolean => state !== null && state !== 'deleted'

/** The result of `maySeeDetails` for each state, computed once for actors who see every image. */
function mayReceiveImageEvents(actor: AccountActor): (concerned: Concerned) => boolean {
  const seesAll = isStaff(actor) && actor.trails === undefined
  return ({ trailId, submitterId, from, now }) => {
    if (trailId === null || submitterId === null) return false
    if (from === 'approved' || now === 'approved') return true
    if (!isSomething(from) && !isSomething(now)) return false
    return seesAll || isInsider(actor, { trailId, submitterId, state: 'pending' })
  }
}

/**
 * Which events of this kind may the actor receive? Feed, stream and webhooks only report what the actor can GET now or
 * could just before the event (contract, Part D), and a token only what its scopes allow. Everything that depends only
 * on the actor is computed here once, for any number of events.
 */
export function mayReceive(
  actor: Actor,
  { audience, scope }: EventAccess,
): (concerned: Concerned) => boolean {
  if (actor.kind !== 'account' || !actor.scopes.has(scope)) return () => false
  switch (audience) {
    case 'image-viewers':
      return mayReceiveImageEvents(actor)
    case 'owner':
      return ({ accountId }) => accountId === actor.accountId
    case 'everyone':
      return () => true
  }
}

/** May the actor get the bytes of the image (contract A5, C24, C27)? `pendingView` is the setting PENDING_VIEW. */
export function maySeeFile(actor: Actor, image: GuardedImage, pendingView: 'anyone' | 'owner'): boolean {
  if (image.state === 'approved' || isInsider(actor, image)) return true
  return image.state === 'pending' && pendingView === 'anyone'
}

/** May the actor read the submitter's email address (contract C40)? */
export function maySeeEmail(actor: Actor, image: GuardedImage): boolean {
  return isInsider(actor, image)
}

/** Setting TAKEN_AT: how precisely those who may see a photo learn when it was taken. */
export type TakenAtSetting = 'day' | 'exact' | 'hidden'

/** How much of the capture time and capture data may the actor see (contract C43)? */
export function momentShownTo(actor: Actor, image: GuardedImage, takenAt: TakenAtSetting): TakenAtSetting {
  return isInsider(actor, image) ? 'exact' : takenAt
}

/** For which listed images of a trail may the actor filter by capture time (contract C43)? */
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

/** What a session may do while its passkey is missing. */
const openWithoutPasskey: ReadonlySet<Action> = new Set([
  'view-site',
  'view-self',
  'list-passkeys',
  'add-passkey',
])

/** @throws refusal `passkey-required`, also for what a page does automatically, such as consenting to an application. */
export function requirePasskey(actor: Actor): void {
  if (actor.kind === 'account' && actor.awaitsPasskey) throw refuse('passkey-required')
}

function requireSession(actor: Actor): asserts actor is AccountActor {
  if (actor.kind === 'account' && actor.via === 'session') return
  throw refuse('forbidden', { detail: inEach(({ access }) => access.onlySession) })
}

/** Does the image exist for the actor? One in the trash exists only for those who may restore it. */
function isThere(actor: Actor, action: Action, image: GuardedImage): boolean {
  if (image.state !== 'deleted') return maySeeDetails(actor, image)
  return action === 'delete-image' && maySeeInTrash(actor, image)
}

/**
 * Checks existence, scope, role and ownership, in this order (contract C31). An image that the actor may not see is
 * always reported as unknown: otherwise the responses would reveal which ids are pending photos.
 * @throws refusals `invalid-image-id`, `insufficient-scope`, `forbidden`, `passkey-required`.
 */
export function permit(actor: Actor, action: Action, image?: GuardedImage): void {
  if (image && !isThere(actor, action, image)) throw refuse('invalid-image-id')
  if (!openWithoutPasskey.has(action)) requirePasskey(actor)
  // A session has every scope of its role, so only the role can be missing: the sentence below names it.
  if (actor.kind === 'account' && actor.via !== 'session') requireScope(actor, action)
  switch (action) {
    case 'list-images':
    case 'list-trails':
    case 'list-public-routes':
    case 'view-image':
    case 'report-image':
    case 'view-site':
      return // which images is decided by maySeeDetails and maySeeFile; a key sees only listed ones
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
    case 'delete-image': // also restores it from the trash, where submitters have no access any more
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
    case 'change-route': // ownership is checked by permitOwner
    case 'view-self':
    case 'receive-events':
      if (actor.kind !== 'account') throw refuse('forbidden')
      return
    case 'list-zones':
    case 'manage-zones':
      // No application needs to know where somebody lives.
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
      // A key outlives the token it was created with, so an application with read access may not create one.
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
 * Checks scope and ownership for routes and zones: only the owner has access, not even admins. Call it before looking
 * anything up, so that the response never reveals whether a route exists.
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
 * The refusal for a route that the actor may not see, which is the same as for one that does not exist: callers without
 * a token are asked for one, and a token without the scope gets that refusal.
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

/** All scopes that an account with this role may have: those of a session, and the maximum for any token. */
export function scopesOfRole(role: Role): ReadonlySet<Scope> {
  return new Set(scopes.filter((scope) => roles.indexOf(minRoleOf(scope)) <= roles.indexOf(role)))
}

/** The actor for requests of image files: a token without images:read counts as no token. */
export function viewerOf(actor: Actor): Actor {
  return actor.kind === 'account' && actor.scopes.has(actions['view-image']) ? actor : anonymous
}

/** The actor as the audit log records it. @throws refusal `forbidden` for a key or a visitor. */
export function auditActorOf(actor: Actor): AuditActor {
  const { accountId, via } = accountOf(actor)
  return { accountId, via: via === 'session' ? 'session' : 'token' }
}

/** The account behind the actor. @throws refusal `forbidden` for a key or a visitor. */
export function accountOf(actor: Actor): AccountActor {
  if (actor.kind !== 'account') throw refuse('forbidden')
  return actor
}
