// `npm run sbom`: writes docs/supply-chain/sbom.cdx.json, the bill of materials of shipped packages, from the lockfile
// alone.
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { sbomText, withoutChance, type LockedPackage, type Sbom } from './sbom-parts.ts'

const root = path.resolve(import.meta.dirname, '..')
export const sbomFile = path.join(root, 'docs/supply-chain/sbom.cdx.json')

/** Output of `npm sbom`, which reads the lockfile without network access. `npm` is the path of npm's CLI file. */
export async function writtenByNpm(npm: string): Promise<string> {
  const wanted = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only']
  const { stdout } = await promisify(execFile)(process.execPath, [npm, ...wanted], {
    cwd: root,
    maxBuffer: 16 * 2 ** 20,
  })
  const lockfile = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8')) as {
    name: string
    packages: Record<string, LockedPackage['entry']>
  }
  const locked = Object.entries(lockfile.packages)
    .filter(([place]) => place !== '')
    .map(([place, entry]) => ({ name: place.split('node_modules/').at(-1) ?? '', entry }))
  return sbomText(withoutChance(JSON.parse(stdout) as Sbom, lockfile, locked))
}

if (import.meta.main) {
  const npm = process.env['npm_execpath']
  if (npm === undefined) {
    console.error('Run this as "npm run sbom": it is npm that writes the list.')
    process.exitCode = 1
  } else {
    await writeFile(sbomFile, await writtenByNpm(npm))
    console.log(`Wrote ${path.relative(root, sbomFile)}.`)
  }
}
