// The look that admins chose, as it is stored, and the rules for what can be chosen.
import { isBrandLink, maxBrandUrlLength } from '../../shared/brand-links.ts'
import { isColour } from '../../shared/colours/accent.ts'
import { countCharacters } from '../../shared/text/characters.ts'
import {
  maxBrandNameLength,
  maxFooterLabelLength,
  maxFooterLinks,
  maxFooterTextLength,
} from '../../shared/branding-limits.ts'
import type { NewBranding } from '../../shared/v2/branding-schemas.ts'
import type { Db } from '../../database/database.ts'
import { refuse } from '../../errors.ts'
import { readChoice } from '../site-settings.ts'

/** A PNG in the table brand_file. */
export interface StoredPicture {
  readonly hash: string
  readonly width: number
  readonly height: number
}

/** Icons made of the logo are for sites that have no icon of their own. */
export interface StoredPictures {
  readonly logo: StoredPicture | null
  readonly icons: readonly StoredPicture[]
}

/** What the choice `branding` holds. */
export interface Chosen extends NewBranding {
  readonly logo: StoredPictures | null
  readonly favicon: StoredPictures | null
}

const nothingChosen: Chosen = {
  name: null,
  accent: null,
  footer: { text: '', links: [] },
  logo: null,
  favicon: null,
}

export interface ReadChosen {
  readonly chosen: Chosen
  readonly changedAt: number | null
}

export async function readChosen(db: Db): Promise<ReadChosen> {
  const kept = await readChoice(db, 'branding')
  return kept
    ? { chosen: { ...nothingChosen, ...(kept.value as Chosen) }, changedAt: kept.changedAt }
    : { chosen: nothingChosen, changedAt: null }
}

/** What the site is called. @param siteName the setting SITE_NAME. */
export const readSiteName = async (db: Db, siteName: string): Promise<string> =>
  (await readChosen(db)).chosen.name ?? siteName

const wrong = (detail: string) => refuse('invalid-field', { detail })

/** A visible character. A name of blanks, marks or characters without width would look empty. */
const visible = /[^\p{Z}\p{C}\p{M}\s\u2800\u3164\u115f\u1160\uffa0]/u

/** One line. Text in titles and subjects must not start a new line or reverse the text around it. */
function requireLine(text: string, field: string, maxCharacters: number): void {
  const isLine = visible.test(text) && !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(text)
  if (isLine && countCharacters(text) <= maxCharacters) return
  throw wrong(`The field ${field} must have 1 to ${maxCharacters} characters on one line, not only spaces.`)
}

/** @throws refusal `invalid-field`, with one sentence about the first error. */
export function requireSound({ name, accent, footer }: NewBranding): void {
  if (name !== null) requireLine(name, 'name', maxBrandNameLength)
  if (accent !== null && !isColour(accent))
    throw wrong('The field accent must be a colour such as #1d6546, or null.')
  if (countCharacters(footer.text) > maxFooterTextLength)
    throw wrong(`The field footer.text may have at most ${maxFooterTextLength} characters.`)
  if (footer.links.length > maxFooterLinks)
    throw wrong(`The field footer.links may have at most ${maxFooterLinks} links.`)
  for (const [at, { label, url }] of footer.links.entries()) {
    requireLine(label, `footer.links.${at}.label`, maxFooterLabelLength)
    if (!isBrandLink(url))
      throw wrong(
        `The field footer.links.${at}.url must be an https:, http: or mailto: address, or a path that begins with one slash, of at most ${maxBrandUrlLength} characters.`,
      )
  }
}

/** As it is stored: without surrounding blanks, which nobody chose. */
export function tidied({ name, accent, footer }: NewBranding): NewBranding {
  return {
    name: name === null ? null : name.trim(),
    accent: accent === null ? null : accent.toLowerCase(),
    footer: {
      text: footer.text.trim(),
      links: footer.links.map(({ label, url }) => ({ label: label.trim(), url })),
    },
  }
}
