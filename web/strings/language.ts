// The language of the page: the server names it in <html lang>, and each catalogue is loaded in that language alone.
import type { Language } from '../../src/shared/languages.ts'

/** What a catalogue is made with: numbers and plurals as its language has them. */
export interface Tools {
  /** @returns the form for `count`, in which `#` is the number itself: `plural(2, { one: '# day', other: '# days' })`. */
  readonly plural: (count: number, forms: PluralForms) => string
}

export type PluralForms = Partial<Readonly<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }

interface CatalogueFile<T> {
  readonly catalogue: (tools: Tools) => T
}

/** Absent outside a browser (tests, scripts): everything is in English there. */
declare const document: { readonly documentElement: { readonly lang: string } } | undefined

const pageLanguage = (): string => (typeof document === 'undefined' ? 'en' : document.documentElement.lang)

/** For dates and numbers: the page's language as the browser's own regions write it (en-GB rather than en). */
export const locale = ((): string => {
  const language = pageLanguage()
  const ofBrowser = typeof navigator === 'undefined' ? [] : navigator.languages
  return ofBrowser.find((one) => one === language || one.startsWith(`${language}-`)) ?? language
})()

function toolsOf(locale: string): Tools {
  const rules = new Intl.PluralRules(locale)
  const numbers = new Intl.NumberFormat(locale)
  return {
    plural: (count, forms) =>
      (forms[rules.select(count)] ?? forms.other).replaceAll('#', numbers.format(count)),
  }
}

/** Loads one catalogue in the page's language. A catalogue imports nothing, so that loading it waits for nothing else. */
export async function inLanguage<T>(
  files: Readonly<Record<Language, () => Promise<CatalogueFile<T>>>>,
): Promise<T> {
  const language = pageLanguage()
  if (language === 'en-XA') {
    const [{ catalogue }, { pseudo }] = await Promise.all([files.en(), import('./pseudo.ts')])
    return pseudo(catalogue(toolsOf('en')))
  }
  const load = Object.entries(files).find(([name]) => name === language)?.[1] ?? files.en
  const { catalogue } = await load()
  return catalogue(toolsOf(locale))
}
