// Who is calling and what they may do: the only place where authorisation is decided (contract C28–C31).
import type { ImageState, Role } from '../database/schema.ts'
import { refuse } from '../errors.ts'
import type { Scope } from './scopes.ts'

/** Who is calling, as auth/identify.ts established it. */
export type Actor =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'key'; readonly keyHash: string; readonly accountId: number }
  | {
      readonly kind: 'account'
      readonly accountId: number
      /** The account's role at this moment, never one that a token claims. */
      readonly role: Role
      readonly scopes: ReadonlySet<Scope>
      readonly clientId: string
    }

export type AccountActor = Extract<Actor, { kind: 'account' }>

export const anonymous: Actor = { kind: 'anonymous' }

/** What may be done, and the scope that a bearer token needs for it. */
export const deeds = {
  'list-images': 'images:read',
  'view-image': 'images:read',
  'upload-image': 'images:write',
  'edit-image': 'images:write',
  'review-image': 'images:review',
} as const satisfies Record<string, Scope>

export type Deed = keyof typeof deeds

/** Deeds that change nothing; any other is refused while the installation is read-only. */
const readingDeeds: ReadonlySet<Deed> = new Set(['list-images', 'view-image'])

export const isWriting = (deed: Deed): boolean => !readingDeeds.has(deed)

/**
 * What every endpoint states in its route options; http/safety.ts refuses to register one that states nothing.
 * `public`: anyone, a credential is looked at but never asked for. `reader`: an API key or a bearer token.
 * `bearer`: a bearer token. `open`: no credential is even looked at (health, documents, the OAuth endpoints).
 */
export type AccessStatement =
  | { readonly credential: 'open' }
  | { readonly credential: 'public' | 'reader' | 'bearer'; readonly deed: Deed }

/** What authorisation needs to know of an image. */
export interface GuardedImage {
  readonly state: ImageState
  readonly submitterId: number
}

/** Staff power is a role and a scope: a reviewer's token without images:review acts as any member's. */
export function isStaff(actor: Actor): actor is AccountActor {
  return actor.kind === 'account' && actor.role !== 'member' && actor.scopes.has('images:review')
}

export function isSubmitter(actor: Actor, image: GuardedImage): boolean {
  return actor.kind === 'account' && actor.accountId === image.submitterId
}

/** Deleted answers as unknown to everyone; anything else is shown to those who may act on it. */
function isInsider(actor: Actor, image: GuardedImage): boolean {
  return image.state !== 'deleted' && (isStaff(actor) || isSubmitter(actor, image))
}

/** May the actor read the details of the image (contract C3)? Where not, the image does not exist for them. */
export function maySeeDetails(actor: Actor, image: GuardedImage): boolean {
  return image.state === 'approved' || isInsider(actor, image)
}

/** May the actor have the bytes of the image (contract A5, C24, C27)? `pendingView` is the setting PENDING_VIEW. */
export function maySeeFile(actor: Actor, image: GuardedImage, pendingView: 'anyone' | 'owner'): boolean {
  if (image.state === 'approved' || isInsider(actor, image)) return true
  return image.state === 'pending' && pendingView === 'anyone'
}

/** May the actor read the submitter's e-mail address (contract C40)? */
export function maySeeEmail(actor: Actor, image: GuardedImage): boolean {
  return isInsider(actor, image)
}

function requireScope(actor: AccountActor, deed: Deed): void {
  const scope = deeds[deed]
  if (actor.scopes.has(scope)) return
  throw refuse('insufficient-scope', {
    detail: `This needs the scope ${scope}, which the token was not granted.`,
    headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  })
}

/**
 * The gate of scope, role and ownership. Called once the thing named is known to exist (contract C31).
 * @throws refusals `insufficient-scope`, `forbidden`.
 */
export function permit(actor: Actor, deed: Deed, image?: GuardedImage): void {
  if (actor.kind === 'account') requireScope(actor, deed)
  switch (deed) {
    case 'list-images':
    case 'view-image':
      return // which images is for maySeeDetails and maySeeFile; a key sees listed ones only
    case 'upload-image':
      if (actor.kind !== 'account') throw refuse('forbidden')
      return
    case 'edit-image':
      if (!image || !isInsider(actor, image)) {
        throw refuse('forbidden', { detail: 'Only the submitter and staff may change an image.' })
      }
      return
    case 'review-image':
      if (!isStaff(actor)) throw refuse('forbidden', { detail: 'Only reviewers and admins may review.' })
      return
  }
}

/** The actor as far as looking at files goes: a token without images:read sees what anyone sees. */
export function viewerOf(actor: Actor): Actor {
  return actor.kind === 'account' && actor.scopes.has(deeds['view-image']) ? actor : anonymous
}

/** The account behind the actor. @throws refusal `forbidden` for a key or nobody. */
export function accountOf(actor: Actor): AccountActor {
  if (actor.kind !== 'account') throw refuse('forbidden')
  return actor
}
