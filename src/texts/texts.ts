// The texts of the server's own pages and mails: one object for each language, made with its plurals.
import type { DetailIn, RefusalCode } from '../errors.ts'
import { forLanguages, pseudoLanguage, type Language } from '../shared/languages.ts'
import { toolsOf, type Tools } from '../shared/text/plurals.ts'
import { pseudo } from '../shared/text/pseudo.ts'
import { germanTexts } from './de/german.ts'
import { englishTexts, type Texts } from './en/english.ts'
import type { PageLanguage } from './request-language.ts'

export type { Texts } from './en/english.ts'

const catalogues: Readonly<Record<Language, (tools: Tools) => Texts>> = { en: englishTexts, de: germanTexts }
const texts = forLanguages((language) => catalogues[language](toolsOf(language)))
const pseudoTexts = pseudo(texts.en)

export const textsIn = (language: PageLanguage): Texts =>
  language === pseudoLanguage ? pseudoTexts : texts[language]

/** A detail that is known in English alone: another language says what holds for every case of the code. */
export const onlyEnglish =
  (code: RefusalCode, detail: string | undefined): DetailIn =>
  (language) =>
    (language === 'en' ? detail : undefined) ?? textsIn(language).refusals[code].detail

/** A detail of a refusal in each language. */
export const inEach =
  (pick: (texts: Texts) => string): DetailIn =>
  (language) =>
    pick(textsIn(language))
