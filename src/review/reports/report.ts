// Rules of reports: anyone can report a listed photo, staff see it in the queue, and a decision closes it.
import { accountOf, permit, type Actor } from '../../auth/guard.ts'
import type { ReportReason } from '../../shared/v2/queue-schemas.ts'
import { inTransaction, type Db, type Tx } from '../../database/database.ts'
import { requireWritable } from '../../database/read-only.ts'
import { refuse, type Refusal } from '../../errors.ts'
import { inEach } from '../../texts/texts.ts'
import { recordMove } from '../../events/outbox.ts'
import type { System } from '../../system.ts'
import { deleteClaim } from '../claims/claims-table.ts'
import { requireUnclaimed } from '../claims/claims.ts'
import { dismissalReason } from '../reasons.ts'
import {
  closeReports,
  findOpenReportOf,
  holdListed,
  insertReport,
  listReports,
  type Report,
  type ReportCursor,
} from './report-table.ts'
import { findReviewedImage } from '../review-table.ts'
import { requireReviewed } from '../review.ts'

/** Open reports per image. More would tell staff nothing new, and could fill the disk. */
export const maxOpenReports = 100

export interface NewReport {
  readonly reason: ReportReason
  readonly note: string
}

export interface TakenReport {
  /** Null if the image has the maximum number. */
  readonly reportId: number | null
  readonly isNew: boolean
}

const notListed = (): Refusal => refuse('not-listed', { detail: inEach(({ review }) => review.notPublished) })

export function createReports({ db, system }: { readonly db: Db; readonly system: System }) {
  async function takeIn(tx: Tx, actor: Actor, imageId: number, report: NewReport): Promise<TakenReport> {
    await requireWritable(tx)
    const open = await holdListed(tx, imageId)
    if (open === undefined) throw notListed()
    const reporterId = actor.kind === 'account' ? actor.accountId : null
    const earlier = reporterId === null ? undefined : await findOpenReportOf(tx, imageId, reporterId)
    if (earlier !== undefined) return { reportId: earlier, isNew: false }
    if (open >= maxOpenReports) return { reportId: null, isNew: false }
    const id = system.newId()
    await insertReport(tx, { id, imageId, at: system.now(), reporterId, ...report })
    return { reportId: id, isNew: true }
  }

  return {
    /** Checks that the image exists for this actor and is listed, before the body is read (contract C31). */
    requireListed: async (actor: Actor, imageId: number | undefined): Promise<number> => {
      const image = imageId === undefined ? undefined : await findReviewedImage(db, imageId)
      if (!image) throw refuse('invalid-image-id')
      permit(actor, 'report-image', image)
      if (image.state !== 'approved') throw notListed()
      return image.id
    },

    /** Once for each account while its report is open. @throws refusals `not-listed`, `read-only`. */
    take: (actor: Actor, imageId: number, report: NewReport): Promise<TakenReport> =>
      inTransaction(db, (tx) => takeIn(tx, actor, imageId, report)),

    /**
     * The photo stays as it is: its reports are closed, and the history records who did it. Without open reports,
     * nothing happens.
     * @returns how many were open.
     */
    dismiss: (actor: Actor, imageId: number, note: string | undefined): Promise<number> =>
      inTransaction(db, async (tx) => {
        await requireWritable(tx)
        const { accountId: by } = accountOf(actor)
        const at = system.now()
        const closed = await closeReports(tx, imageId, { by, at })
        // Read again now that its row is locked and nobody can change its state.
        const image = await requireReviewed(tx, actor, imageId)
        await requireUnclaimed(tx, imageId, { accountId: by, at })
        if (closed === 0) return 0
        await deleteClaim(tx, imageId)
        const { trailId, submitterId, state } = image
        await recordMove(tx, {
          type: 'image.updated',
          at,
          imageId,
          trailId,
          submitterId,
          actorId: by,
          from: state,
          to: state,
          reason: dismissalReason,
          note,
        })
        return closed
      }),

    /** That the image exists and this actor may review it. @throws refusals `invalid-image-id`, `forbidden`. */
    requireReviewable: async (actor: Actor, imageId: number | undefined): Promise<number> =>
      (await requireReviewed(db, actor, imageId)).id,

    /** Open and closed ones, oldest first. */
    list: (imageId: number, page: { after: ReportCursor | undefined; limit: number }): Promise<Report[]> =>
      listReports(db, imageId, page),
  }
}

export type Reports = ReturnType<typeof createReports>
