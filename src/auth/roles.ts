// The roles in order, each including the rights of those before it; and the scopes that require one.
import type { Role } from '../database/schema.ts'
import type { Scope } from './scopes.ts'

export const roles = ['member', 'reviewer', 'admin'] as const satisfies readonly Role[]

export function isRole(word: unknown): word is Role {
  return (roles as readonly unknown[]).includes(word)
}

export function lesserRole(one: Role, other: Role): Role {
  return roles.indexOf(one) <= roles.indexOf(other) ? one : other
}

/** `member` if there is none: an account always has a role. */
export function highestRole(held: readonly Role[]): Role {
  return roles.findLast((role) => held.includes(role)) ?? 'member'
}

/** The minimum role for a scope; scopes that are not listed are for every account. */
const minRoles: Readonly<Partial<Record<Scope, Role>>> = {
  'images:review': 'reviewer',
  'trails:write': 'admin',
}

export const minRoleOf = (scope: Scope): Role => minRoles[scope] ?? 'member'
