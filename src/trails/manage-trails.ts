// Admin operations for single trails: create, replace and delete, each with an audit entry.
import { recordAudit, type AuditActor } from '../accounts/audit/audit.ts'
import type { Db, Tx } from '../database/database.ts'
import { refuse } from '../errors.ts'
import type { KeyedRequest, IdempotencyKeys } from '../idempotency/idempotency-keys.ts'
import { drawFree, type System } from '../system.ts'
import { planImport, type ImportPlan } from './import-plan.ts'
import { checkTrail, type CheckedTrail } from './trail-checks.ts'
import { countImagesOn, deleteTrail, listLimitedTo } from './trail-end-table.ts'
import { findTrail, findTrailDetails, lockTrail, upsertTrails, type TrailDetails } from './trail-table.ts'
import { refusalOf } from './trails.ts'

const maxNamed = 20

/** Throws if the client's conditions on the trail do not hold. */
export type TrailPrecondition = (trail: TrailDetails) => void

/**
 * A complete trail from a request: without a geometry it has no line. The description was added later, and clients
 * that do not know it must not delete it, so only an empty one does.
 */
export interface SentTrail {
  readonly name: string
  readonly slug?: string | undefined
  readonly description?: string | undefined
  readonly geometry?: unknown
}

export interface ManageTrailsDependencies {
  readonly db: Db
  readonly system: System
  readonly retries: IdempotencyKeys
  /** Called if a line may have changed. */
  readonly onLineChange?: (() => void) | undefined
}

/** @throws refusal `invalid-field`. */
async function checked(id: number, sent: SentTrail): Promise<CheckedTrail> {
  const { name, slug, description, geometry } = sent
  const isDrawn = geometry !== undefined && geometry !== null
  const geometries = isDrawn ? [geometry] : null
  const { trail, problems } = await checkTrail({ id, name, slug, description, geometries })
  const refusal = refusalOf(problems)
  if (refusal) throw refusal
  if (!trail) throw new Error('a trail without problems is none')
  return trail
}

export function createTrailManagement({
  db,
  system,
  retries,
  onLineChange = () => undefined,
}: ManageTrailsDependencies) {
  /** @throws refusal `invalid-field` if the slug belongs to another trail. */
  async function write(tx: Tx, trail: CheckedTrail, at: number): Promise<ImportPlan> {
    const plan = await planImport(tx, [trail])
    const refusal = refusalOf(plan.problems)
    if (refusal) throw refusal
    if (plan.writes.length > 0) await upsertTrails(tx, plan.writes, at)
    return plan
  }

  const freeId = (tx: Tx): Promise<number> =>
    drawFree('trail id', system.newId, async (id) => !(await findTrail(tx, id)))

  async function createIn(
    tx: Tx,
    by: AuditActor,
    { trail, id, keyed }: { trail: CheckedTrail; id: number | undefined; keyed: KeyedRequest | undefined },
  ): Promise<number> {
    const earlier = keyed && (await retries.find(tx, keyed))
    if (earlier !== undefined) {
      if (await findTrail(tx, earlier)) return earlier
      throw refuse('invalid-trail-id', {
        detail: 'The trail created with this Idempotency-Key has been deleted since.',
      })
    }
    if (id !== undefined && (await findTrail(tx, id)))
      throw refuse('trail-exists', { detail: `The trail ${id} already exists.` })
    const at = system.now()
    const made = { ...trail, id: id ?? (await freeId(tx)) }
    const { added } = await write(tx, made, at)
    const detail = { trailID: made.id, name: made.name, slug: added[0]?.slug }
    await recordAudit(tx, { at, by, action: 'trail.created', accountId: null, detail })
    if (keyed) await retries.remember(tx, keyed, made.id)
    return made.id
  }

  /**
   * Locked until the transaction ends, and checked in its current state. @throws refusal `invalid-trail-id`, and
   * whatever `precondition` throws.
   */
  async function held(tx: Tx, id: number, precondition: TrailPrecondition): Promise<TrailDetails> {
    const trail = (await lockTrail(tx, id)) ? await findTrailDetails(tx, id) : undefined
    if (!trail) throw refuse('invalid-trail-id')
    precondition(trail)
    return trail
  }

  async function removeIn(
    tx: Tx,
    by: AuditActor,
    { id, precondition }: { id: number; precondition: TrailPrecondition },
  ): Promise<void> {
    const { name, slug } = await held(tx, id, precondition)
    const images = await countImagesOn(tx, id)
    if (images > 0)
      throw refuse('trail-not-empty', {
        detail: `This trail has ${images === 1 ? '1 image' : `${images} images`}, including those pending, rejected or in the trash.`,
      })
    const limited = await listLimitedTo(tx, id)
    // No row means no limit: a reviewer of only this trail could then review all of them.
    const orphaned = limited.filter(({ others }) => others.length === 0).map(({ accountId }) => accountId)
    if (orphaned.length > 0) {
      const rest = orphaned.length > maxNamed ? ` and ${orphaned.length - maxNamed} more` : ''
      throw refuse('trail-has-reviewers', {
        detail: `Limited to this trail: account ${orphaned.slice(0, maxNamed).join(', ')}${rest}.`,
      })
    }
    await deleteTrail(tx, id)
    const at = system.now()
    const detail = { trailID: id, name, slug }
    await recordAudit(tx, { at, by, action: 'trail.deleted', accountId: null, detail })
    for (const { accountId, others } of limited)
      await recordAudit(tx, {
        at,
        by,
        action: 'account.role-changed',
        accountId,
        detail: { from: 'reviewer', to: 'reviewer', trails: others },
      })
  }

  return {
    /**
     * @returns its ID, or that of the trail created by an earlier identical request.
     * @throws refusals `invalid-field`, `trail-exists`, `idempotency-key-reused`, `invalid-trail-id`, `read-only`.
     */
    create: async (
      by: AuditActor,
      { trailId: id, ...sent }: SentTrail & { readonly trailId: number | undefined },
      keyed: KeyedRequest | undefined,
    ): Promise<number> => {
      const trail = await checked(id ?? 1, sent)
      return db.transaction().execute((tx) => createIn(tx, by, { trail, id, keyed }))
    },

    /** @throws refusals `invalid-field`, `invalid-trail-id`, `precondition-failed`, `read-only`. */
    replace: async (
      by: AuditActor,
      id: number,
      sent: SentTrail,
      precondition: TrailPrecondition,
    ): Promise<void> => {
      const trail = await checked(id, sent)
      await db.transaction().execute(async (tx) => {
        await held(tx, id, precondition)
        const at = system.now()
        const { changed } = await write(tx, trail, at)
        const fields = changed[0]?.fields
        if (!fields) return
        const detail = { trailID: id, ...fields }
        await recordAudit(tx, { at, by, action: 'trail.changed', accountId: null, detail })
      })
      onLineChange()
    },

    /** @throws refusals `invalid-trail-id`, `precondition-failed`, `trail-not-empty`, `trail-has-reviewers`, `read-only`. */
    remove: (by: AuditActor, id: number, precondition: TrailPrecondition): Promise<void> =>
      db.transaction().execute((tx) => removeIn(tx, by, { id, precondition })),
  }
}

export type TrailManagement = ReturnType<typeof createTrailManagement>
