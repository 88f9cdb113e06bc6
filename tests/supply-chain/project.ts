// The project as data for the checks of its supply chain: manifest, lockfile, what is installed, and its own texts.
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

export const root = path.resolve(import.meta.dirname, '../..')

export type Names = Readonly<Record<string, string>>

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly scripts?: Names
  readonly dependencies?: Names
  readonly devDependencies?: Names
  readonly optionalDependencies?: Names
  /** Packages whose install scripts npm may run; npm's own field. */
  readonly allowScripts?: Readonly<Record<string, boolean>>
}

/** npm copies what the package says, and some write a single platform without the list. */
export type OneOrMore = string | readonly string[]

/** One installed package, as the lockfile states it. */
export interface LockEntry {
  readonly version?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly link?: boolean
  readonly license?: string
  readonly dev?: boolean
  readonly hasInstallScript?: boolean
  readonly os?: OneOrMore
  readonly cpu?: OneOrMore
  readonly libc?: OneOrMore
  readonly dependencies?: Names
  readonly devDependencies?: Names
  readonly optionalDependencies?: Names
  readonly peerDependencies?: Names
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

export interface Lockfile {
  readonly lockfileVersion: number
  /** By place: `''` is the project, `node_modules/a/node_modules/b` the b that a uses. */
  readonly packages: Readonly<Record<string, LockEntry>>
}

/** What the package.json of an installed package says. */
export interface Installed {
  readonly place: string
  readonly license: unknown
  readonly scripts: Readonly<Record<string, unknown>>
  /** npm builds such a package with node-gyp, without any script in its package.json. */
  readonly hasNativeBuild: boolean
}

export interface Package {
  readonly place: string
  readonly name: string
  readonly entry: LockEntry
}

export async function readJson(file: string): Promise<unknown> {
  return JSON.parse(await readFile(path.join(root, file), 'utf8'))
}

export async function readManifest(): Promise<Manifest> {
  return (await readJson('package.json')) as Manifest
}

export async function readLockfile(): Promise<Lockfile> {
  return (await readJson('package-lock.json')) as Lockfile
}

/** `node_modules/a/node_modules/@b/c` → `@b/c`. */
export function nameAt(place: string): string {
  return place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

/** Every package of the lockfile but the project itself. */
export function packagesOf(lockfile: Lockfile): Package[] {
  return Object.entries(lockfile.packages)
    .filter(([place]) => place !== '')
    .map(([place, entry]) => ({ place, name: nameAt(place), entry }))
}

/** Where Node would find `name` for the package at `place`: beside it, or further up. */
export function resolveFrom(lockfile: Lockfile, place: string, name: string): string | undefined {
  for (let at = place; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const candidate = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`
    if (lockfile.packages[candidate]) return candidate
    if (at === '') return undefined
  }
}

/** The installed ones among the packages of the lockfile; those of other platforms are not. */
export async function readInstalled(lockfile: Lockfile): Promise<Installed[]> {
  const installed: Installed[] = []
  for (const { place } of packagesOf(lockfile)) {
    if (!existsSync(path.join(root, place, 'package.json'))) continue
    const manifest = (await readJson(`${place}/package.json`)) as {
      license?: unknown
      scripts?: Record<string, unknown>
    }
    installed.push({
      place,
      license: manifest.license,
      scripts: manifest.scripts ?? {},
      hasNativeBuild: existsSync(path.join(root, place, 'binding.gyp')),
    })
  }
  return installed
}

/** Texts below the folders, or the files themselves, by path from the root; folders that do not exist yet are empty. */
export async function readTexts(places: readonly string[], wanted: RegExp): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const place of places) {
    if (!existsSync(path.join(root, place))) continue
    const names = wanted.test(place) ? [''] : await readdir(path.join(root, place), { recursive: true })
    for (const name of names) {
      const file = name === '' ? place : `${place}/${name.replaceAll(path.sep, '/')}`
      if (wanted.test(file)) texts.set(file, await readFile(path.join(root, file), 'utf8'))
    }
  }
  return texts
}
