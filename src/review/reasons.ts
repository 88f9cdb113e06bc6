// The reasons that reviewers choose from: presets, until an admin sets another list.
import type { AuditActor } from '../accounts/audit/audit.ts'
import { readChoice, saveChoice } from '../site-settings/site-settings.ts'
import type { Decision } from '../shared/image-states.ts'
import type { Db } from '../database/database.ts'
import { refuse } from '../errors.ts'

export interface ReviewReason {
  readonly code: string
  /** What people read. */
  readonly label: string
  /** The decisions that it is a reason for. */
  readonly decisions: readonly Decision[]
}

const usual: readonly Decision[] = ['reject', 'remove']

const presets: readonly ReviewReason[] = [
  { code: 'blurred', label: 'Blurred, too dark or too small', decisions: usual },
  { code: 'not-the-trail', label: 'Does not show the trail or the view from it', decisions: usual },
  { code: 'wrong-trail', label: 'Shows another trail', decisions: usual },
  { code: 'duplicate', label: 'Duplicate of another photo', decisions: usual },
  { code: 'people-recognisable', label: 'Shows identifiable people', decisions: usual },
  { code: 'offensive', label: 'Offensive', decisions: usual },
  { code: 'copyright', label: 'Copyright belongs to someone else', decisions: usual },
  { code: 'spam', label: 'Advertising', decisions: usual },
  { code: 'place-unknown', label: 'Please say where this was taken', decisions: usual },
  { code: 'mistake', label: 'The previous decision was a mistake', decisions: ['restore', 'reopen'] },
  { code: 'other', label: 'Another reason', decisions: ['reject', 'remove', 'restore', 'reopen'] },
]

/** Reasons that only the server sets, so that the history can be relied on. */
export const undoReason = 'undo'
export const dismissalReason = 'reports-dismissed'
const ofServer: ReadonlyMap<string, string> = new Map([
  [undoReason, 'The previous decision was undone'],
  [dismissalReason, 'The reports were dismissed'],
  ['trusted', 'Photos of this submitter need no review'],
  ['pulled', 'Published on the server it was pulled from'],
])

/** @throws refusal `invalid-field`. */
export function requireFreeReason(code: string | undefined): void {
  if (code === undefined || !ofServer.has(code)) return
  throw refuse('invalid-field', { detail: `The reason ${code} is reserved for the server.` })
}

/** In the order in which reviewers see them. */
export async function readReasons(db: Db): Promise<readonly ReviewReason[]> {
  const chosen = await readChoice(db, 'review-reasons')
  return chosen === undefined ? presets : (chosen.value as readonly ReviewReason[])
}

/** What each code means now; a code that is in no list any more has no label. */
export async function readReasonLabels(db: Db): Promise<ReadonlyMap<string, string>> {
  const reasons = await readReasons(db)
  return new Map([...reasons.map(({ code, label }) => [code, label] as const), ...ofServer])
}

export interface ChosenReason {
  readonly code: string
  readonly label: string
  readonly decisions?: readonly Decision[] | undefined
}

/**
 * Replaces the whole list. Decisions made before keep their codes.
 * @throws refusals `invalid-field`, `read-only`.
 */
export async function saveReasons(
  db: Db,
  chosen: readonly ChosenReason[],
  doing: { readonly by: AuditActor; readonly at: number },
): Promise<void> {
  const codes = new Set<string>()
  const reasons = chosen.map(({ code, label, decisions = usual }): ReviewReason => {
    requireFreeReason(code)
    if (codes.has(code)) throw refuse('invalid-field', { detail: `Duplicate code ${code}.` })
    codes.add(code)
    const words = label.trim()
    if (words === '' || /\p{Cc}/u.test(words)) {
      throw refuse('invalid-field', { detail: `The label of ${code} must be a single line of text.` })
    }
    return { code, label: words, decisions: [...new Set(decisions)] }
  })
  await saveChoice(db, 'review-reasons', reasons, doing)
}
