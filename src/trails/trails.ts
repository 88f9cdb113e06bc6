// Rules of trails: finding one, and importing many, all or none, with a plan of the changes.
import { recordAudit, type AuditActor } from '../accounts/audit/audit.ts'
import { createYielder, yieldTurn } from '../shared/yielding.ts'
import type { Db } from '../database/database.ts'
import { refuse, type Refusal } from '../errors.ts'
import { planImport, type ImportPlan } from './import-plan.ts'
import { checkTrail, type CheckedTrail, type TrailInput, type TrailProblem } from './trail-checks.ts'
import {
  findTrail,
  findTrailDetails,
  upsertTrails,
  type Trail,
  type TrailDetails,
  type WrittenTrail,
} from './trail-table.ts'

export type { TrailInput, TrailProblem } from './trail-checks.ts'
export type { ImportPlan } from './import-plan.ts'
export type { Trail } from './trail-table.ts'

/** Yields after writing this many trails. */
const trailsOfTurn = 50
/** And after lines of about this total length. */
const charactersOfTurn = 500_000

/** How a message about one of several trails names it. */
function placeOf({ place }: TrailInput, index: number, count: number): string {
  if (place !== undefined) return place
  return count > 1 ? `Trail ${index + 1} of ${count}` : ''
}

/** The first problem as a refusal, with the number of the others. */
export function refusalOf(problems: readonly TrailProblem[]): Refusal | undefined {
  const [first] = problems
  if (!first) return undefined
  const more = problems.length - 1
  const sentence = first.place === '' ? first.detail : `${first.place}: ${first.detail}`
  const detail =
    more === 0
      ? sentence
      : `${sentence.replace(/\.$/, '')}; there ${more === 1 ? 'is 1 more problem' : `are ${more} more problems`}.`
  return refuse('invalid-field', { detail })
}

async function checkAll(inputs: readonly TrailInput[]) {
  const trails: CheckedTrail[] = []
  const problems: TrailProblem[] = []
  const yielder = createYielder()
  for (const [index, input] of inputs.entries()) {
    const checked = await checkTrail(input, placeOf(input, index, inputs.length))
    problems.push(...checked.problems)
    if (checked.trail) trails.push(checked.trail)
    await yielder.yieldIfDue()
  }
  return { trails, problems }
}

/** Whether both have the same optional parts. */
const isAlikeTo = (one: WrittenTrail | undefined, other: WrittenTrail): boolean =>
  (one?.line === undefined) === (other.line === undefined) &&
  (one?.description === undefined) === (other.description === undefined)

/** The rows of one statement, in the overall order: a slug may pass from one trail to the next. */
function* batchesOf(trails: readonly WrittenTrail[]): Generator<WrittenTrail[], void> {
  let batch: WrittenTrail[] = []
  let characters = 0
  for (const trail of trails) {
    const isAlike = isAlikeTo(batch[0], trail)
    if (batch.length > 0 && (!isAlike || batch.length >= trailsOfTurn || characters > charactersOfTurn)) {
      yield batch
      batch = []
      characters = 0
    }
    batch.push(trail)
    characters += (trail.line?.text.length ?? 0) + (trail.description?.length ?? 0)
  }
  if (batch.length > 0) yield batch
}

/** @param onWritten called after an import has been written: lines may have changed. */
export function createTrails(db: Db, now: () => number, onWritten: () => void = () => undefined) {
  return {
    /** @throws refusal `invalid-trail-id`. */
    require: async (id: number | undefined): Promise<Trail> => {
      const trail = id === undefined ? undefined : await findTrail(db, id)
      if (!trail) throw refuse('invalid-trail-id')
      return trail
    },

    /** With its line. @throws refusal `invalid-trail-id`. */
    requireDetails: async (id: number | undefined): Promise<TrailDetails> => {
      const trail = id === undefined ? undefined : await findTrailDetails(db, id)
      if (!trail) throw refuse('invalid-trail-id')
      return trail
    },

    /** What an import of these would change, and every problem. Changes nothing. */
    planAll: async (inputs: readonly TrailInput[]): Promise<ImportPlan> => {
      const { trails, problems } = await checkAll(inputs)
      const plan = await planImport(db, trails)
      return { ...plan, problems: [...problems, ...plan.problems] }
    },

    /**
     * Adds and updates trails, all or none; unchanged ones are left alone.
     * @param by the actor for the audit log; omitted if nothing is to be logged.
     * @throws refusal `invalid-field` that names the trail by its location if there are several, and `read-only`.
     */
    importAll: async (inputs: readonly TrailInput[], by?: AuditActor): Promise<ImportPlan> => {
      const checked = await checkAll(inputs)
      const wrong = refusalOf(checked.problems)
      if (wrong) throw wrong
      const done = await db.transaction().execute(async (tx) => {
        const plan = await planImport(tx, checked.trails)
        const refusal = refusalOf(plan.problems)
        if (refusal) throw refusal
        const at = now()
        for (const batch of batchesOf(plan.writes)) {
          await upsertTrails(tx, batch, at)
          await yieldTurn()
        }
        if (by && plan.writes.length > 0) {
          const detail = { new: plan.added.length, changed: plan.changed.length }
          await recordAudit(tx, { at, by, action: 'trail.imported', accountId: null, detail })
        }
        return plan
      })
      onWritten()
      return done
    },
  }
}

export type Trails = ReturnType<typeof createTrails>
