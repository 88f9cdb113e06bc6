// The order of roles, each of which may do what those before it may, and more; and the scopes that take one.
import type { Role } from '../database/schema.ts'
import type { Scope } from './scopes.ts'

export const roles = ['member', 'reviewer', 'admin'] as const satisfies readonly Role[]

export function isRole(word: unknown): word is Role {
  return (roles as readonly unknown[]).includes(word)
}

export function lesserRole(one: Role, other: Role): Role {
  return roles.indexOf(one) <= roles.indexOf(other) ? one : other
}

/** `member` where there is none: who has a role at all is one. */
export function highestRole(held: readonly Role[]): Role {
  return roles.findLast((role) => held.includes(role)) ?? 'member'
}

/** The least role of which an account may have the scope; any other scope is for everybody. */
const minRoles: Readonly<Partial<Record<Scope, Role>>> = {
  'images:review': 'reviewer',
  'trails:write': 'admin',
}

export const minRoleOf = (scope: Scope): Role => minRoles[scope] ?? 'member'
