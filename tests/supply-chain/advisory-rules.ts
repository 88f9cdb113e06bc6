// Whether a locked version is known to be vulnerable, according to the list in docs/, since `npm audit` needs a server.
import semver from 'semver'
import { packagesOf, type Lockfile } from './project.ts'

export interface Advisory {
  /** A package, or `node` for the runtime, whatever its platform. */
  readonly package: string
  /** A version range in npm's syntax. */
  readonly vulnerable: string
  readonly ids: readonly string[]
  readonly title: string
  /** Source of the advisory. */
  readonly source: string
  /** Why Waymark accepts it for now. */
  readonly accepted?: {
    readonly because: string
    /** Regular expressions that must not match the sources for the reason to hold. */
    readonly holdsWhileAbsent: readonly string[]
  }
}

export interface AdvisoryList {
  /** When the list was last compared with its sources. */
  readonly checked: string
  /** Packages that bring the runtime. */
  readonly runtime: readonly string[]
  readonly advisories: readonly Advisory[]
}

const knownId = /^(?:GHSA(?:-[23456789cfghjmpqrvwx]{4}){3}|CVE-\d{4}-\d{4,})$/

/** Faults of the list itself. */
export function listViolations({ checked, advisories }: AdvisoryList): string[] {
  const ids = advisories.flatMap((advisory) => advisory.ids)
  return [
    ...(/^\d{4}-\d\d-\d\d$/.test(checked) ? [] : [`"${checked}" is no day`]),
    ...ids.filter((id) => !knownId.test(id)).map((id) => `${id} is no id`),
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id} stands twice`),
    ...advisories
      .filter(({ ids, title, source }) => ids.length === 0 || title === '' || source === '')
      .map((advisory) => `an advisory of ${advisory.package} lacks its id, title or source`),
    ...advisories
      .filter(({ vulnerable }) => semver.validRange(vulnerable) === null)
      .map(({ vulnerable }) => `"${vulnerable}" is no range`),
    ...advisories
      .filter(
        ({ accepted }) => accepted && (accepted.because === '' || accepted.holdsWhileAbsent.length === 0),
      )
      .map(({ ids }) => `${ids.join(', ')} is accepted without a reason that can be checked`),
  ]
}

/** Every vulnerable locked version that is not accepted, and every acceptance that no longer holds. */
export function advisoryViolations(
  list: AdvisoryList,
  lockfile: Lockfile,
  sources: ReadonlyMap<string, string>,
): string[] {
  const locked = packagesOf(lockfile)
  return list.advisories.flatMap((advisory) => {
    const names = advisory.package === 'node' ? list.runtime : [advisory.package]
    const hit = locked.filter(
      ({ name, entry }) =>
        names.includes(name) &&
        semver.satisfies(entry.version ?? '', advisory.vulnerable, { includePrerelease: true }),
    )
    const what = `${advisory.ids.join(', ')} (${advisory.title})`
    if (advisory.accepted === undefined)
      return hit.map(({ place, entry }) => `${place} ${entry.version} has ${what}`)
    if (hit.length === 0) return [`${what} is accepted, and no package has it any more`]
    return advisory.accepted.holdsWhileAbsent.flatMap((words) =>
      [...sources]
        .filter(([, text]) => new RegExp(words).test(text))
        .map(([file]) => `${what} was accepted for as long as nothing holds /${words}/, and ${file} does`),
    )
  })
}
