// `npm run set-version 0.3.0`: updates the version number everywhere. package.json is authoritative, and
// tests/version.test.ts compares the rest with it. CHANGELOG.md is not changed: write its heading and date yourself.
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

const number = String.raw`\d+\.\d+\.\d+`

interface Place {
  readonly file: string
  /** Text before and after the number. */
  readonly around: readonly RegExp[]
  /** Number of occurrences; a missing one is an error. */
  readonly times: number
}

/** In npm's documents, the first "version" is the package's own. */
const ofPackage = (file: string): Place => ({
  file,
  around: [/^( {2}"version": ")(VERSION)(")/m],
  times: 1,
})

/** Names of built files: packages and tarballs. */
const names = [
  /(waymark_)(VERSION)(_amd64\.deb)/g,
  /(waymark-)(VERSION)(-linux-x64)/g,
  /(waymark-(?:client|placing)-)(VERSION)(\.tgz)/g,
]

export const places: readonly Place[] = [
  ofPackage('package.json'),
  ofPackage('client/package.json'),
  ofPackage('client/placing/package.json'),
  {
    file: 'package-lock.json',
    around: [/^( {2}"version": ")(VERSION)(")/m, /^( {6}"name": "waymark",\n {6}"version": ")(VERSION)(")/m],
    times: 2,
  },
  {
    file: 'docs/supply-chain/sbom.cdx.json',
    around: [/("name":"waymark","version":")(VERSION)(")/g, /("(?:pkg:npm\/)?waymark@)(VERSION)(")/g],
    times: 4,
  },
  {
    file: 'deploy/helm/waymark/Chart.yaml',
    around: [/^(version: )(VERSION)()$/m, /^(appVersion: )(VERSION)()$/m],
    times: 2,
  },
  // The page's other package is of the next version, to which it upgrades.
  {
    file: 'docs/install.md',
    around: [...names, /(upgrades from )(VERSION)( to)/, /(upgrades from \S+ to )(VERSION)(\.)/],
    times: 7,
  },
  { file: 'docs/sdk.md', around: names, times: 3 },
  { file: 'client/README.md', around: names, times: 1 },
  { file: 'client/placing/README.md', around: names, times: 1 },
  { file: 'examples/README.md', around: names, times: 1 },
]

/** The next minor version. */
export function nextOf(version: string): string {
  const [major = '', minor = ''] = version.split('.')
  return `${major}.${Number(minor) + 1}.0`
}

const withNumber = (pattern: RegExp): RegExp =>
  new RegExp(pattern.source.replace('VERSION', number), pattern.flags)

/** All version numbers in a text, in the order of the patterns. */
export const versionsIn = (text: string, { around }: Place): string[] =>
  around.flatMap((pattern) => {
    const all = new RegExp(
      withNumber(pattern).source,
      pattern.flags.includes('g') ? pattern.flags : `${pattern.flags}g`,
    )
    const found = [...text.matchAll(all)].map(([, , version = '']) => version)
    return pattern.flags.includes('g') ? found : found.slice(0, 1)
  })

/** @throws Error if the text does not have the expected number of occurrences. */
function rewritten(text: string, place: Place, old: string, version: string): string {
  const numbers: Readonly<Record<string, string>> = { [old]: version, [nextOf(old)]: nextOf(version) }
  const count = versionsIn(text, place).length
  if (count !== place.times)
    throw new Error(`${place.file} has ${count} numbers of a version, and ${place.times} are expected.`)
  return place.around.reduce(
    (changed, pattern) =>
      changed.replace(
        withNumber(pattern),
        (_, before: string, found: string, after: string) => `${before}${numbers[found] ?? version}${after}`,
      ),
    text,
  )
}

/** Writes nothing unless every place is found. */
export async function setVersion(root: string, version: string): Promise<void> {
  if (!new RegExp(`^${number}$`).test(version)) throw new Error(`Not a version such as 0.3.0: ${version}`)
  const { version: old } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
    version: string
  }
  const texts = await Promise.all(
    places.map(async (place) => {
      const file = path.join(root, place.file)
      return [file, rewritten(await readFile(file, 'utf8'), place, old, version)] as const
    }),
  )
  for (const [file, text] of texts) await writeFile(file, text)
}

if (import.meta.main) {
  const [version = ''] = process.argv.slice(2)
  await setVersion(path.resolve(import.meta.dirname, '..'), version).then(
    () =>
      process.stdout.write(
        `Version ${version} in ${places.length} files. Head and date of CHANGELOG.md are yours.\n`,
      ),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
      process.exitCode = 1
    },
  )
}
