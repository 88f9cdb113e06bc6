// Allowed licences of packages: each must be listed literally, so that a person has read it.
import { isDeepStrictEqual } from 'node:util'
import { nameAt, packagesOf, type Installed, type Lockfile } from './project.ts'

export interface AllowedLicence {
  /** An SPDX id or expression, as packages state it. */
  readonly licence: string
  /** Names this is allowed for, the last part of which may be `*`; without them, any. */
  readonly only?: readonly string[]
  readonly because: string
}

function isNamed(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

/** Every package with a licence that is not allowed, and every licence allowed that no package has any more. */
export function licenceViolations(lockfile: Lockfile, allowed: readonly AllowedLicence[]): string[] {
  const used = new Set<AllowedLicence>()
  const found: string[] = []
  for (const { place, name, entry } of packagesOf(lockfile)) {
    const rule = allowed.find(
      ({ licence, only }) =>
        licence === entry.license && (only?.some((pattern) => isNamed(pattern, name)) ?? true),
    )
    if (rule) used.add(rule)
    else found.push(`${place} is under "${entry.license}", which is not allowed for it`)
  }
  const unused = allowed.filter((rule) => !used.has(rule))
  return found.concat(unused.map(({ licence }) => `no package is under "${licence}" any more`))
}

/** Every installed package that states another licence than the lockfile says. */
export function licenceDifferences(lockfile: Lockfile, installed: readonly Installed[]): string[] {
  return installed
    .filter(({ place, license }) => !isDeepStrictEqual(license, lockfile.packages[place]?.license))
    .map(({ place }) => `${nameAt(place)} states another licence than the lockfile`)
}
