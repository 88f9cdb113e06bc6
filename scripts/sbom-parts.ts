// The software bill of materials: npm's output without parts that vary between runs, and its comparison with the
// lockfile.

interface Hash {
  readonly alg: string
  readonly content: string
}

export interface Component {
  readonly type: string
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
  readonly scope?: string
  readonly purl?: string
  readonly hashes?: readonly Hash[]
  readonly licenses?: readonly unknown[]
}

/** The part of CycloneDX that is used here. */
export interface Sbom {
  readonly bomFormat: string
  readonly specVersion: string
  readonly version: number
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

/** A package in the lockfile. */
export interface LockedPackage {
  readonly name: string
  readonly entry: {
    readonly version?: string
    readonly integrity?: string
    readonly license?: string
    readonly dev?: boolean
  }
}

/** Only what identifies a component, in a fixed order; the rest differs between npm versions. */
function essence({
  type,
  'bom-ref': ref,
  name,
  version,
  scope,
  purl,
  hashes,
  licenses,
}: Component): Component {
  return {
    type,
    'bom-ref': ref,
    name,
    version,
    ...(scope === undefined ? {} : { scope }),
    ...(purl === undefined ? {} : { purl }),
    ...(hashes === undefined ? {} : { hashes }),
    ...(licenses === undefined ? {} : { licenses }),
  }
}

/** Removes duplicates: npm 10 lists a package once for each location, which the format forbids. */
function once<T>(items: readonly T[], refOf: (item: T) => string): T[] {
  const first = new Map<string, T>()
  for (const item of items) if (!first.has(refOf(item))) first.set(refOf(item), item)
  return [...first.values()]
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** `alpha@1.2.3`, npm's reference in the document, for every package that is not only for development. */
export function shippedRefs(locked: readonly LockedPackage[]): Set<string> {
  return new Set(
    locked.filter(({ entry }) => !entry.dev).map(({ name, entry }) => `${name}@${entry.version}`),
  )
}

/**
 * npm's output without packages that are not shipped, and without serial number, time, tool and folder name, sorted: the
 * same lockfile gives the same document. `npm sbom --omit dev` is not used, since npm 10 then also drops shipped packages
 * that a development package uses.
 */
export function withoutChance(
  sbom: Sbom,
  project: { readonly name: string },
  locked: readonly LockedPackage[],
): Sbom {
  const { component } = sbom.metadata
  const refs = shippedRefs(locked)
  return {
    bomFormat: sbom.bomFormat,
    specVersion: sbom.specVersion,
    version: 1,
    metadata: { component: { ...essence(component), type: 'application', name: project.name } },
    components: once(sbom.components, (one) => one['bom-ref'])
      .filter((one) => refs.has(one['bom-ref']))
      .map(essence)
      .sort((a, b) => compare(a['bom-ref'], b['bom-ref'])),
    dependencies: once(sbom.dependencies, ({ ref }) => ref)
      .filter(({ ref }) => ref === component['bom-ref'] || refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)).sort() }))
      .sort((a, b) => compare(a.ref, b.ref)),
  }
}

/** One line per component, so that a changed package is a changed line. */
export function sbomText(sbom: Sbom): string {
  const lines = (items: readonly unknown[]) =>
    `[\n${items.map((item) => JSON.stringify(item)).join(',\n')}\n]`
  const { components, dependencies, ...head } = sbom
  const start = JSON.stringify(head).slice(0, -1)
  return `${start},\n"components": ${lines(components)},\n"dependencies": ${lines(dependencies)}}\n`
}

/** npm writes an SPDX id as such, anything else as an expression or a name. */
function licenceOf(component: Component): string | undefined {
  const [first] = (component.licenses ?? []) as {
    license?: { id?: string; name?: string }
    expression?: string
  }[]
  return first?.expression ?? first?.license?.id ?? first?.license?.name
}

function facts(name: string, version: unknown, sha512Hex: unknown, licence: unknown): string {
  return `${name} ${String(version)} sha512 ${String(sha512Hex)} ${String(licence)}`
}

/** Differences between the document and what the lockfile ships, one sentence each. */
export function sbomViolations(
  sbom: Sbom,
  project: { readonly name: string; readonly version: string },
  locked: readonly LockedPackage[],
): string[] {
  const shipped = new Set(
    locked
      .filter(({ entry }) => !entry.dev)
      .map(({ name, entry }) => {
        const hash = Buffer.from(entry.integrity?.replace(/^sha512-/, '') ?? '', 'base64').toString('hex')
        return facts(name, entry.version, hash, entry.license)
      }),
  )
  const listed = new Set(
    sbom.components.map((component) =>
      facts(component.name, component.version, component.hashes?.[0]?.content, licenceOf(component)),
    ),
  )
  const refs = new Set([
    sbom.metadata.component['bom-ref'],
    ...sbom.components.map((component) => component['bom-ref']),
  ])
  const { component } = sbom.metadata
  const chance = ['serialNumber', 'timestamp', 'tools'].filter(
    (field) => field in sbom || field in sbom.metadata,
  )
  return [
    ...[...shipped].filter((fact) => !listed.has(fact)).map((fact) => `the SBOM lacks ${fact}`),
    ...[...listed].filter((fact) => !shipped.has(fact)).map((fact) => `the SBOM lists ${fact}`),
    ...(component.name === project.name && component.version === project.version
      ? []
      : [`the SBOM is of ${component.name} ${component.version}`]),
    ...sbom.dependencies
      .flatMap(({ ref, dependsOn }) => [ref, ...dependsOn])
      .filter((ref) => !refs.has(ref))
      .map((ref) => `the SBOM speaks of ${ref} and does not list it`),
    ...[...refs]
      .filter((ref) => !sbom.dependencies.some((dependency) => dependency.ref === ref))
      .map((ref) => `the SBOM does not say what ${ref} depends on`),
    ...sbom.components
      .map((one) => one['bom-ref'])
      .filter((ref, index, all) => all.indexOf(ref) !== index)
      .map((ref) => `the SBOM lists ${ref} twice`),
    ...chance.map((field) => `the SBOM has ${field}, which differs from run to run`),
  ]
}
