// The closed list of actions, the scope each needs, and which of them change nothing.
import type { Scope } from './scopes.ts'

/** An action and the scope that a bearer token needs for it; null if no scope covers it. */
export const actions = {
  'list-images': 'images:read',
  'view-image': 'images:read',
  'view-original': 'images:read',
  'upload-image': 'images:write',
  'edit-image': 'images:write',
  'review-image': 'images:review',
  'view-queue': 'images:review',
  'view-history': 'images:read',
  'delete-image': 'images:write',
  'report-image': null,
  'list-trails': 'images:read',
  'manage-trails': 'trails:write',
  'receive-events': null,
  'list-webhooks': null,
  'manage-webhooks': null,
  'list-public-routes': null,
  'list-routes': 'routes:read',
  'view-route': 'routes:read',
  'create-route': 'routes:write',
  'change-route': 'routes:write',
  'list-zones': 'routes:read',
  'manage-zones': 'routes:write',
  'view-self': null,
  'view-site': null,
  'list-keys': 'images:read',
  'manage-keys': 'images:read',
  'view-own-account': null,
  'manage-own-account': null,
  'list-passkeys': null,
  'add-passkey': null,
  'view-administration': null,
  administer: null,
} as const satisfies Record<string, Scope | null>

export type Action = keyof typeof actions

/** Actions that change nothing; all others are refused while the installation is read-only. */
const readingDeeds: ReadonlySet<Action> = new Set([
  'list-images',
  'view-image',
  'view-original',
  'list-public-routes',
  'list-routes',
  'view-route',
  'list-zones',
  'view-self',
  'view-site',
  'view-queue',
  'view-history',
  'list-trails',
  'receive-events',
  'list-webhooks',
  'list-keys',
  'view-own-account',
  'list-passkeys',
  'view-administration',
])

export const isWriting = (action: Action): boolean => !readingDeeds.has(action)

const sessionDeeds: ReadonlySet<Action> = new Set([
  'view-own-account',
  'manage-own-account',
  'list-passkeys',
  'add-passkey',
  'view-administration',
  'administer',
])

/** No scope allows these, because they could widen a scope: passwords, applications, other people's accounts. */
export const isForSessionsOnly = (action: Action): boolean => sessionDeeds.has(action)
