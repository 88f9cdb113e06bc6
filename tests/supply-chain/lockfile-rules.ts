// What the lockfile must contain so that `npm ci` installs the same bytes on every platform, only from the registry.
import { isDeepStrictEqual } from 'node:util'
import semver from 'semver'
import {
  packagesOf,
  resolveFrom,
  type LockEntry,
  type Lockfile,
  type Manifest,
  type Names,
  type OneOrMore,
} from './project.ts'

export interface Platform {
  readonly os: string
  readonly cpu: string
  readonly libc?: string
}

/** Where a clone must start and be worked on. */
export const platforms: readonly Platform[] = [
  { os: 'linux', cpu: 'x64', libc: 'glibc' },
  { os: 'linux', cpu: 'x64', libc: 'musl' },
  { os: 'linux', cpu: 'arm64', libc: 'glibc' },
  { os: 'darwin', cpu: 'x64' },
  { os: 'darwin', cpu: 'arm64' },
  { os: 'win32', cpu: 'x64' },
]

const sha512 = /^sha512-[A-Za-z0-9+/]{86}==$/
const kindsOfDependency = ['dependencies', 'devDependencies', 'optionalDependencies'] as const

/** The project names each package by one exact version, and the lockfile holds that version. */
function manifestViolations(manifest: Manifest, lockfile: Lockfile): string[] {
  const found: string[] = []
  if (lockfile.lockfileVersion !== 3) found.push(`lockfileVersion is ${lockfile.lockfileVersion}, not 3`)
  for (const kind of kindsOfDependency) {
    if (!isDeepStrictEqual(manifest[kind] ?? {}, lockfile.packages['']?.[kind] ?? {}))
      found.push(`the ${kind} of package.json are not those of the lockfile`)
    for (const [name, wanted] of Object.entries(manifest[kind] ?? {})) {
      const locked = lockfile.packages[`node_modules/${name}`]?.version
      if (semver.valid(wanted) !== wanted)
        found.push(`${name} is wanted as "${wanted}", which is no exact version`)
      else if (locked !== wanted) found.push(`${name} is wanted as ${wanted} and locked as ${locked}`)
    }
  }
  return found
}

/** The bytes of a package are known by their hash alone; an address would be a second say in what is fetched. */
function entryViolations(place: string, entry: LockEntry): string[] {
  const found: string[] = []
  if (!place.startsWith('node_modules/') || entry.link) found.push(`${place} is a link, not a package`)
  if (semver.valid(entry.version) === null)
    found.push(`${place} has the version "${entry.version}", which is none`)
  if (!sha512.test(entry.integrity ?? ''))
    found.push(`${place} has ${entry.integrity ? 'an integrity that is not SHA-512' : 'no integrity'}`)
  if (entry.resolved !== undefined) found.push(`${place} names the address it comes from`)
  return found
}

/** What one package asks of others is a range of versions, and is there. `npm ci` refuses a lockfile that lacks any. */
function demandViolations(lockfile: Lockfile, place: string, entry: LockEntry): string[] {
  const mandatoryPeers = Object.entries(entry.peerDependencies ?? {}).filter(
    ([name]) => !entry.peerDependenciesMeta?.[name]?.optional,
  )
  const demands: Names = {
    ...entry.dependencies,
    ...entry.optionalDependencies,
    ...Object.fromEntries(mandatoryPeers),
  }
  return Object.entries(demands).flatMap(([name, asked]) => {
    // The one alias that is allowed: Redocly's linter asks for its own fork of ajv, which the lockfile has by its hash.
    const range = asked.replace(/^npm:@redocly\/ajv@/, '')
    if (semver.validRange(range) === null)
      return [`${place} asks for ${name} as "${range}", which is no range`]
    const target = resolveFrom(lockfile, place, name)
    const version = target === undefined ? undefined : lockfile.packages[target]?.version
    if (version === undefined) return [`${place} asks for ${name}, which the lockfile lacks`]
    if (!semver.satisfies(version, range)) return [`${place} asks for ${name} ${range} and gets ${version}`]
    return []
  })
}

/** An absent list means anything; `!x` means anything but x. */
function admits(stated: OneOrMore | undefined, value: string | undefined): boolean {
  if (stated === undefined || value === undefined) return true
  const list = [stated].flat()
  const refused = list.filter((item) => item.startsWith('!')).map((item) => item.slice(1))
  const named = list.filter((item) => !item.startsWith('!'))
  return !refused.includes(value) && (named.length === 0 || named.includes(value))
}

function runsOn(entry: LockEntry, { os, cpu, libc }: Platform): boolean {
  return admits(entry.os, os) && admits(entry.cpu, cpu) && admits(entry.libc, libc)
}

/** A package that brings one binary per platform brings one for each of ours that it runs on itself. */
function platformViolations(
  lockfile: Lockfile,
  place: string,
  entry: LockEntry,
  wanted: readonly Platform[],
): string[] {
  const binaries = Object.keys(entry.optionalDependencies ?? {})
    .map((name) => lockfile.packages[resolveFrom(lockfile, place, name) ?? ''])
    .filter((binary) => binary?.os !== undefined)
  if (binaries.length < 2) return [] // one for a single platform is an extra there, as fsevents is to vite on macOS
  return wanted
    .filter((platform) => runsOn(entry, platform))
    .filter((platform) => !binaries.some((binary) => runsOn(binary ?? {}, platform)))
    .map(({ os, cpu, libc }) =>
      `${place || 'the project'} has no binary for ${os} ${cpu} ${libc ?? ''}`.trim(),
    )
}

/** Every breach, a sentence each. */
export function lockfileViolations(
  manifest: Manifest,
  lockfile: Lockfile,
  wanted: readonly Platform[] = platforms,
): string[] {
  const packages = packagesOf(lockfile)
  const project = lockfile.packages[''] ?? {}
  return [
    ...manifestViolations(manifest, lockfile),
    ...packages.flatMap(({ place, entry }) => entryViolations(place, entry)),
    ...packages.flatMap(({ place, entry }) => demandViolations(lockfile, place, entry)),
    ...platformViolations(lockfile, '', project, wanted),
    ...packages.flatMap(({ place, entry }) => platformViolations(lockfile, place, entry, wanted)),
  ]
}
