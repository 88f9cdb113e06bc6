// The web app as built by vite: what its page has to load, from vite's manifest, reloaded when the app is rebuilt.
import { statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { forLanguages, type Language } from '../shared/languages.ts'

/** File names below the folder of the app, such as `app/main-Bq3x.js`. */
export interface BuiltApp {
  readonly script: string
  /** All direct and indirect imports of the script: preloaded together, not one after another. */
  readonly preloads: readonly string[]
  /** The text catalogues that the script and its imports need, by language. */
  readonly catalogues: Readonly<Record<Language, readonly string[]>>
  readonly styles: readonly string[]
  /** The dark theme for browsers without scripts (web/build/dark-without-scripts.ts). */
  readonly darkWithoutScripts: string | undefined
  /** What a page needs in addition, by its source name, such as `pages/gallery/gallery-page.tsx`. */
  readonly ofPage: (name: string, language: Language) => PageFiles
  /** Different for each build. */
  readonly version: string
}

export interface PageFiles {
  readonly scripts: readonly string[]
  readonly styles: readonly string[]
}

interface Chunk {
  readonly file: string
  readonly isEntry?: boolean
  readonly imports?: readonly string[]
  readonly dynamicImports?: readonly string[]
  readonly css?: readonly string[]
}

type Manifest = Readonly<Record<string, Chunk>>

/** The chunk and everything it needs at once, without duplicates. */
function withImports(manifest: Manifest, name: string, seen = new Map<string, Chunk>()): Map<string, Chunk> {
  const chunk = manifest[name]
  if (chunk === undefined || seen.has(name)) return seen
  seen.set(name, chunk)
  for (const imported of chunk.imports ?? []) withImports(manifest, imported, seen)
  return seen
}

/** By language, the name of the folder in web/strings/. */
function cataloguesOf(manifest: Manifest, chunks: readonly Chunk[]): BuiltApp['catalogues'] {
  const names = [...new Set(chunks.flatMap(({ dynamicImports = [] }) => dynamicImports))]
  const filesIn = (language: Language): string[] =>
    names
      .filter((name) => name.startsWith(`strings/${language}/`))
      .flatMap((name) => manifest[name]?.file ?? [])
  return forLanguages(filesIn)
}

const stylesOf = (chunks: readonly Chunk[]): string[] => [...new Set(chunks.flatMap(({ css = [] }) => css))]

export function appIn(manifest: Manifest, version = ''): BuiltApp | undefined {
  const entry = Object.keys(manifest).find((name) => manifest[name]?.isEntry === true)
  if (entry === undefined) return undefined
  const ofEntry = withImports(manifest, entry)
  const [first, ...others] = ofEntry.values()
  if (first === undefined) return undefined
  const styles = stylesOf([...others, first])

  function ofPage(name: string, language: Language): PageFiles {
    const chunks = [...withImports(manifest, name)].flatMap(([key, chunk]) =>
      ofEntry.has(key) ? [] : [chunk],
    )
    const scripts = [...chunks.map(({ file }) => file), ...cataloguesOf(manifest, chunks)[language]]
    return { scripts, styles: stylesOf(chunks).filter((file) => !styles.includes(file)) }
  }

  return {
    script: first.file,
    preloads: others.map(({ file }) => file),
    catalogues: cataloguesOf(manifest, [first, ...others]),
    // Imports come before the entry, which may override them.
    styles,
    darkWithoutScripts: manifest['dark-without-scripts.css']?.file,
    ofPage,
    version,
  }
}

interface Stamp {
  readonly mtimeMs: number
  readonly size: number
  readonly ino: number
}

const versionOf = ({ mtimeMs, size, ino }: Stamp): string => `${mtimeMs} ${size} ${ino}`

/** Finds the app in the folder. */
export function createBuiltApp(folder: string) {
  const file = path.join(folder, '.vite', 'manifest.json')
  let known: { readonly version: string; readonly app: BuiltApp | undefined } | undefined

  return {
    /** @returns undefined if there is none. */
    find: async (): Promise<BuiltApp | undefined> => {
      const found = await stat(file).catch(() => undefined)
      if (found === undefined) return undefined
      const version = versionOf(found)
      if (known?.version !== version) {
        // While one build replaces another, there may be none for a short time.
        const text = await readFile(file, 'utf8').catch(() => '{}')
        known = { version, app: appIn(JSON.parse(text) as Manifest, version) }
      }
      return known.app
    },

    /** Whether this is still the current build; synchronous, for pages that were rendered with it. */
    isStill: (app: BuiltApp): boolean => {
      const found = statSync(file, { throwIfNoEntry: false })
      return known?.app === app && found !== undefined && versionOf(found) === known.version
    },
  }
}
