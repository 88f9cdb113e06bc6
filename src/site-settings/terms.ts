// The licence of photos and the terms that submitters agree to, as set by an admin, and their version.
import { createHash } from 'node:crypto'
import type { auditActorOf } from '../auth/guard.ts'
import { readChoice, saveChoice } from './site-settings.ts'
import { countCharacters } from '../shared/text/characters.ts'
import { writeTimestamp } from '../shared/v2/timestamps.ts'
import {
  maxLicenceCodeLength,
  maxLicenceNameLength,
  maxTermsTextLength,
  maxTermsUrlLength,
  type NewPhotoTerms,
  type PhotoTerms,
} from '../shared/v2/image-schemas.ts'
import type { Db } from '../database/database.ts'
import { refuse } from '../errors.ts'

interface Chosen extends NewPhotoTerms {
  readonly version: string | null
}

const nothingChosen: Chosen = { licence: null, terms: null, version: null }

/** @throws refusal `invalid-field`. */
function requireText(text: string, field: string, maxCharacters: number): void {
  const count = countCharacters(text)
  if (text.trim() !== '' && count <= maxCharacters) return
  throw refuse('invalid-field', {
    detail: `The field ${field} must have 1 to ${maxCharacters} characters, not only spaces.`,
  })
}

/**
 * Pages show it as a link, so it must not be a script or anything else that browsers execute. @throws refusal
 * `invalid-field`.
 */
function requireUrl(text: string | undefined, field: string): void {
  if (text === undefined) return
  const isLink = text.length <= maxTermsUrlLength && /^https?:\/\/[^\s/]/i.test(text) && URL.canParse(text)
  if (!isLink)
    throw refuse('invalid-field', {
      detail: `The field ${field} must be an https:// or http:// URL of at most ${maxTermsUrlLength} characters.`,
    })
}

function requireSound({ licence, terms }: NewPhotoTerms): void {
  if (licence) {
    requireText(licence.code, 'licence.code', maxLicenceCodeLength)
    requireText(licence.name, 'licence.name', maxLicenceNameLength)
    requireUrl(licence.url, 'licence.url')
  }
  if (!terms) return
  requireText(terms.text, 'terms.text', maxTermsTextLength)
  requireUrl(terms.url, 'terms.url')
}

/** Equal values are the same terms, in whatever order they were sent. */
function wordsOf({ licence, terms }: NewPhotoTerms): string {
  const { code, name, url = null } = licence ?? { code: null, name: null }
  const { text, url: about = null } = terms ?? { text: null }
  return JSON.stringify([code, name, url, text, about])
}

/** Names the day, for people, and the words, so that another version is another name. */
function versionOf(chosen: NewPhotoTerms, at: number): string | null {
  if (chosen.licence === null && chosen.terms === null) return null
  const digest = createHash('sha256')
    .update(`${at}\n${wordsOf(chosen)}`)
    .digest('hex')
  return `${writeTimestamp(at).slice(0, 10)}-${digest.slice(0, 8)}`
}

async function readChosen(db: Db): Promise<{ readonly chosen: Chosen; readonly changedAt: number | null }> {
  const kept = await readChoice(db, 'photo-terms')
  return kept
    ? { chosen: kept.value as Chosen, changedAt: kept.changedAt }
    : { chosen: nothingChosen, changedAt: null }
}

/** What an upload records. */
export interface TermsInForce {
  readonly licence: string | null
  readonly version: string | null
}

export async function findTermsInForce(db: Db): Promise<TermsInForce> {
  const { licence, version } = (await readChosen(db)).chosen
  return { licence: licence?.code ?? null, version }
}

/** @param seen the version that the person saw, if that was said. @throws refusal `other-terms`. */
export function requireSeen({ version }: TermsInForce, seen: string | null | undefined): void {
  if (seen === undefined || seen === version) return
  throw refuse('other-terms', {
    detail:
      version === null ? 'There are currently no terms.' : `The current terms have the version ${version}.`,
  })
}

/** Throws if the client's conditions on the current terms do not hold. */
export type TermsPrecondition = (terms: PhotoTerms) => void

export function createTerms({ db, now }: { readonly db: Db; readonly now: () => number }) {
  async function read(on: Db): Promise<PhotoTerms> {
    const { chosen, changedAt } = await readChosen(on)
    const { licence, terms, version } = chosen
    return { licence, terms, version, changedAt: changedAt === null ? null : writeTimestamp(changedAt) }
  }

  return {
    read: (): Promise<PhotoTerms> => read(db),

    /** Setting equal terms changes nothing. @throws refusals `invalid-field`, `read-only`. */
    choose: (
      by: ReturnType<typeof auditActorOf>,
      wanted: NewPhotoTerms,
      precondition: TermsPrecondition,
    ): Promise<PhotoTerms> => {
      requireSound(wanted)
      return db.transaction().execute(async (tx) => {
        const current = await read(tx)
        precondition(current)
        if (wordsOf(current) === wordsOf(wanted)) return current
        const at = now()
        const value: Chosen = { ...wanted, version: versionOf(wanted, at) }
        await saveChoice(tx, 'photo-terms', value, { by, at })
        return read(tx)
      })
    },
  }
}

export type Terms = ReturnType<typeof createTerms>
