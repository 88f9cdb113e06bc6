// The language of the page: the server names it in <html lang>, and each catalogue is loaded in that language alone.
import type { Language } from '../../src/shared/languages.ts'
import { toolsOf, type Tools } from '../../src/shared/text/plurals.ts'

export type { Tools } from '../../src/shared/text/plurals.ts'

interface CatalogueFile<T> {
  readonly catalogue: (tools: Tools) => T
}

/** Absent outside a browser (tests, scripts): everything is in English there. */
declare const document: { readonly documentElement: { readonly lang: string } } | undefined

export const pageLanguage = (): string =>
  typeof document === 'undefined' ? 'en' : document.documentElement.lang

/** For dates and numbers: the page's language as the browser's own regions write it (en-GB rather than en). */
export const locale = ((): string => {
  const language = pageLanguage()
  const ofBrowser = typeof navigator === 'undefined' ? [] : navigator.languages
  return ofBrowser.find((one) => one === language || one.startsWith(`${language}-`)) ?? language
})()

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
  return catalogue(toolsOf(locale))
}
