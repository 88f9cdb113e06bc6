// The order of roles: each may do what those before it may, and more.
import type { Role } from '../database/schema.ts'

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
