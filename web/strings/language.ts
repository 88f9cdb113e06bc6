// The language of the page: the server names it in <html lang>, and each catalogue is loaded in that language alone.
import type { Language } from '../../src/shared/languages.ts'
import { toolsOf, type Tools } from '../../src/shared/text/plurals.ts'

export type { Tools } from '../../src/shared/text/plurals.ts'

interface CatalogueFile<T> {
  readonly catalogue: (tools: Tools) => T
}

/** Absent outside a browser (tests, scripts, pages rendered on the server). */
declare const document:
  | {
      readonly documentElement: { readonly lang: string }
      readonly querySelector: (selectors: string) => { readonly content?: string } | null
    }
  | undefined

/**
 * On the server there is one instance of the app for each language, which its address names (web/server.tsx); tests and
 * scripts name none, and everything is in English there.
 */
const ofInstance = new URL(import.meta.url).searchParams.get('language') ?? 'en'

export const pageLanguage = (): string =>
  typeof document === 'undefined' ? ofInstance : document.documentElement.lang

/** For dates and numbers: the page's language as the browser's own regions write it (en-GB rather than en). */
export const locale = ((): string => {
  const language = pageLanguage()
  if (typeof document === 'undefined') return language
  // A page that was rendered on the server goes on as it was begun there.
  const stated = document.querySelector('meta[name="waymark-locale"]')?.content
  const ofBrowser = typeof navigator === 'undefined' ? [] : navigator.languages
  return stated ?? ofBrowser.find((one) => one === language || one.startsWith(`${language}-`)) ?? language
})()

let ofVisitor = locale

/** On the server one visitor's page is rendered after the other, each from beginning to end without a pause. */
export function speakTo(visitor: string): void {
  ofVisitor = visitor
}

const maxLocales = 50

/** @returns what makes something of the visitor's locale, once for each. */
export function byLocale<Made>(make: (locale: string) => Made): () => Made {
  const made = new Map<string, Made>()
  return () => {
    const known = made.get(ofVisitor)
    if (known !== undefined) return known
    if (made.size >= maxLocales) made.clear()
    const fresh = make(ofVisitor)
    made.set(ofVisitor, fresh)
    return fresh
  }
}

const visitorsTools = byLocale(toolsOf)
const tools: Tools = { plural: (count, forms) => visitorsTools().plural(count, forms) }

/** Loads one catalogue in the page's language. A catalogue imports nothing, so that loading it waits for nothing else. */
export async function inLanguage<T>(
  files: Readonly<Record<Language, () => Promise<CatalogueFile<T>>>>,
): Promise<T> {
  const language = pageLanguage()
  if (language === 'en-XA') {
    const [{ catalogue }, { pseudo }] = await Promise.all([
      files.en(),
      import('../../src/shared/text/pseudo.ts'),
    ])
    return pseudo(catalogue(toolsOf('en')))
  }
  const load = Object.entries(files).find(([name]) => name === language)?.[1] ?? files.en
  const { catalogue } = await load()
  return catalogue(tools)
}
