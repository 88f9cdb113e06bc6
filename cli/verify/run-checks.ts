// Runs the checks one after another, and always cleans up what they created.
import { fail } from '../failures.ts'
import { isLimited, isNoAnswer, tell } from './asker.ts'
import {
  basisOf,
  failed,
  needs,
  skipped,
  type Basis,
  type Check,
  type CheckGroup,
  type Verdict,
} from './check.ts'
import { detailsWriteChecks } from './details-write-checks.ts'
import { doorChecks } from './door-checks.ts'
import { imageChecks } from './image-checks.ts'
import { listJsonChecks } from './list-json-checks.ts'
import { listWaysChecks } from './list-ways-checks.ts'
import { listXmlChecks } from './list-xml-checks.ts'
import { pendingChecks } from './pending-checks.ts'
import { photoWriteChecks } from './photo-write-checks.ts'
import { routeChecks } from './route-checks.ts'
import { removeOwnRoutes, routeWriteChecks } from './route-write-checks.ts'
import { labelOwnPhoto } from './sent-details.ts'
import type { Subject } from './subject.ts'

/** In the order in which they run: writing comes last, the details of a photo after its upload. */
export const checkGroups: readonly CheckGroup[] = [
  { name: 'Without a credential', checks: doorChecks },
  { name: 'The list in JSON', checks: listJsonChecks },
  { name: 'The list in XML', checks: listXmlChecks },
  { name: 'The list, other requests', checks: listWaysChecks },
  { name: 'The image handler', checks: imageChecks },
  { name: 'Routes', checks: routeChecks },
  { name: 'Writing: a photo', checks: photoWriteChecks },
  { name: 'Writing: while it is pending', checks: pendingChecks },
  { name: 'Writing: its details', checks: detailsWriteChecks },
  { name: 'Writing: a route', checks: routeWriteChecks },
]

export type Outcome = Pick<Check, 'id' | 'about' | 'title'> & {
  readonly group: string
  readonly basis: Basis
  readonly verdict: Verdict
}

/** Stops early if a server no longer responds, instead of waiting for half an hour. */
const maxSilences = 3

/** @throws one sentence if this cannot be the URL of the classic surface. */
async function knock(subject: Subject, baseUrl: string): Promise<void> {
  const answer = await subject.listWithoutKey()
  const { status, headers, type } = answer
  const location = headers.get('location')
  if (status >= 300 && status < 400 && location !== null)
    throw fail('refused', `${baseUrl} redirects to ${location}: use that URL instead.`)
  const isRefusal = status === 401 || status === 403 // its body may be HTML
  if (type === 'text/html' && !isRefusal)
    throw fail(
      'refused',
      `${baseUrl} responds to ${subject.setPath} with ${tell(answer)}, so the classic surface is not there: check the URL.`,
    )
  if (!subject.hasTrail) return
  const named = subject.has('key') ? await subject.listAnswer() : answer
  if (named.status === 404)
    throw fail(
      'not-there',
      `${baseUrl} responds with ${tell(named)} for trail ${subject.trailId}: check --trail and the URL.`,
    )
}

async function runCheck(check: Check, subject: Subject): Promise<Verdict> {
  const lacking = (check.needs ?? []).filter((need) => !subject.has(need))
  if (lacking.length > 0) return skipped(`Requires ${lacking.map((need) => needs[need]).join(', ')}.`)
  const refused = check.needs?.find((need) => subject.refused.has(need))
  return refused === undefined ? check.look(subject) : skipped(subject.refused.get(refused) ?? '')
}

/** Failures to clean up are added to the subject's troubles. */
async function clearUp(subject: Subject): Promise<void> {
  if (!subject.has('write') || !subject.has('token')) return
  const untroubled = new AbortController().signal // Ctrl+C ends the checks, but not the cleanup
  const works = [
    ...(subject.has('account') ? [() => removeOwnRoutes(subject, untroubled)] : []),
    () => labelOwnPhoto(subject, untroubled),
  ]
  // If one fails, the others are still tried, and what is left is reported.
  for (const work of works)
    await work().catch((error: unknown) => {
      const words = error instanceof Error ? error.message : String(error)
      subject.troubles.push(`${isNoAnswer(error) ? `${error.asked}: ` : ''}${words.replace(/\.$/, '')}.`)
    })
}

/** Reports what is left when the run is stopped. */
function stoppedWith(error: unknown, { left, troubles }: Subject): unknown {
  const { images, routes } = left
  const kinds = [
    ...(images.size > 0 ? [`pending ${images.size > 1 ? 'images' : 'image'} ${[...images].join(', ')}`] : []),
    ...(routes.size > 0 ? [`${routes.size > 1 ? 'routes' : 'route'} ${[...routes].join(', ')}`] : []),
  ]
  if ((kinds.length === 0 && troubles.length === 0) || !(error instanceof Error)) return error
  const words = kinds.length === 0 ? [] : [`Left on the server: ${kinds.join(', and ')}.`]
  return fail('stopped', [error.message, ...words, ...troubles].join(' '))
}

export interface RunResult {
  readonly outcomes: readonly Outcome[]
  readonly left: { readonly images: readonly string[]; readonly routes: readonly string[] }
  readonly troubles: readonly string[]
}

/** @param groups the checks; all of them, except in tests of a single one. */
export async function runChecks(
  subject: Subject,
  baseUrl: string,
  {
    groups = checkGroups,
    onGroup,
  }: { groups?: readonly CheckGroup[]; onGroup?: (name: string) => void } = {},
): Promise<RunResult> {
  await knock(subject, baseUrl).catch((error: unknown) => {
    if (!isNoAnswer(error)) throw error
    throw fail('unreachable', `${baseUrl} cannot be reached: ${error.message}.`)
  })
  const outcomes: Outcome[] = []
  const reported = new WeakSet<Error>()
  const verdictOn = async (check: Check): Promise<Verdict> => {
    if (subject.ask.silences() >= maxSilences) return skipped('The server had stopped responding.')
    try {
      return await runCheck(check, subject)
    } catch (error) {
      if (!isNoAnswer(error)) throw error
      if (isLimited(error)) return skipped(`No response: ${error.message}. Try again later.`)
      // A shared request is sent once, and its failure is reported by the first check that needs it.
      if (reported.has(error)) return skipped(`No response to ${error.asked}.`)
      reported.add(error)
      return failed(error, error.message)
    }
  }
  try {
    for (const { name, checks } of groups) {
      onGroup?.(name)
      for (const check of checks) {
        const { id, about, title } = check
        const verdict = await verdictOn(check)
        outcomes.push({ id, about, title, group: name, basis: basisOf(check), verdict })
      }
    }
  } catch (error) {
    await clearUp(subject)
    throw stoppedWith(error, subject)
  }
  await clearUp(subject)
  const { left, troubles } = subject
  return { outcomes, left: { images: [...left.images], routes: [...left.routes] }, troubles }
}
