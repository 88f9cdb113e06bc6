// The languages that people can read Waymark in. One more is an entry here; the compiler then names every catalogue that lacks it.

/** By their code in BCP 47, with their own name, as a list of choices shows them. */
export const languageNames = { en: 'English', de: 'Deutsch' } as const

export type Language = keyof typeof languageNames

export const languages = Object.keys(languageNames) as readonly Language[]

/** English with accents and 40 % longer: shows what is not translated, and where a page has no room. Offered to nobody. */
export const pseudoLanguage = 'en-XA'

/** A value for each language. */
export const forLanguages = <T>(make: (language: Language) => T): Readonly<Record<Language, T>> =>
  Object.fromEntries(languages.map((language) => [language, make(language)])) as Record<Language, T>

export const isLanguage = (value: unknown): value is Language =>
  typeof value === 'string' && Object.hasOwn(languageNames, value)

/** The cookie in which a browser remembers the language that a person chose. */
export const languageCookie = 'waymark_language'
