// The desk of review: what waits on the trails of a reviewer, with all that a decision needs (contract, Part D).
import { accountOf, permit, type AccountActor, type Actor } from '../auth/guard.ts'
import { yieldTurn } from '../shared/yielding.ts'
import { writeTimestamp } from '../shared/v2/timestamps.ts'
import type { QueueItem, QueuePart, ReportReason } from '../shared/v2/queue-schemas.ts'
import type { Image as V2Image } from '../shared/v2/schemas.ts'
import type { Db } from '../database/database.ts'
import { createPreparedRows } from '../database/prepared-rows.ts'
import { createFlags } from './flags/flags.ts'
import { listQueue, type QueuedImage } from './queue-page-table.ts'
import {
  countWaiting,
  type QueueFilters,
  type QueuePage,
  type Waiting,
  type WaitingKind,
} from './queue-table.ts'
import { listSubmitters, type Submitter } from './submitter-table.ts'
import { listOpenReports, type OpenReport } from './reports/report-table.ts'

const reportsShown = 3
/** Queried together. */
const rowsOfTurn = 50

export interface QueueDependencies {
  readonly db: Db
  readonly now: () => number
  /** Setting FAR_FROM_TRAIL_METRES. */
  readonly farMetres: number
  /** The image as v2 shows it. */
  readonly present: (actor: Actor, image: QueuedImage) => V2Image
}

function whyOf({ state, acceptedTitle, openReports }: QueuedImage): WaitingKind[] {
  if (state === 'pending') return ['pending']
  return [
    ...(acceptedTitle === null ? [] : ['edited' as const]),
    ...(openReports > 0 ? ['reported' as const] : []),
  ]
}

/**
 * For an edited image, and one that EDITED_PHOTOS=require-review unpublished: the texts that differ from the accepted
 * ones.
 */
function editsOf({ title, caption, acceptedTitle, acceptedCaption }: QueuedImage): QueuePart['edits'] {
  if (acceptedTitle === null || acceptedCaption === null) return null
  return {
    ...(title === acceptedTitle ? {} : { title: { before: acceptedTitle, after: title } }),
    ...(caption === acceptedCaption ? {} : { caption: { before: acceptedCaption, after: caption } }),
  }
}

function claimOf({ claimerId, claimerName, claimedUntil }: QueuedImage): QueuePart['claim'] {
  if (claimerId === null || claimerName === null || claimedUntil === null) return null
  return { acctID: claimerId, displayName: claimerName, until: writeTimestamp(claimedUntil) }
}

const showReport = ({ id, at, reason, note }: OpenReport) => ({
  reportID: id,
  at: writeTimestamp(at),
  reason: reason as ReportReason,
  note,
})

/** Processes a few at a time, and lets other requests have their turn in between. */
async function inParts<One>(
  all: readonly One[],
  work: (part: readonly One[]) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < all.length; at += rowsOfTurn) {
    if (at > 0) await yieldTurn()
    await work(all.slice(at, at + rowsOfTurn))
  }
}

export function createQueue({ db, now, farMetres, present }: QueueDependencies) {
  const findFlags = createFlags({ db, farMetres })
  const askRows = createPreparedRows(db)

  function reviewerOf(actor: Actor): AccountActor {
    permit(actor, 'view-queue')
    return accountOf(actor)
  }

  /** Reads a long page as several short ones, each of which starts after the one before. */
  async function rowsOf(filters: QueueFilters, page: QueuePage): Promise<QueuedImage[]> {
    const rows: QueuedImage[] = []
    for (let { after } = filters; ;) {
      const limit = Math.min(rowsOfTurn + 1, page.limit - rows.length)
      const part = await listQueue(db, askRows, { ...filters, after }, { ...page, limit })
      rows.push(...part)
      after = part.at(-1)
      if (part.length < limit || rows.length === page.limit) return rows
      await yieldTurn()
    }
  }

  async function partsOf(
    rows: readonly QueuedImage[],
    { trails }: AccountActor,
  ): Promise<ReadonlyMap<number, QueuePart>> {
    const submitterIds = [...new Set(rows.map(({ submitterId }) => submitterId))]
    const submitters = new Map(
      (await listSubmitters(db, askRows, submitterIds)).map((one): [number, Submitter] => [one.id, one]),
    )
    const reported = rows.filter(({ openReports }) => openReports > 0).map(({ id }) => id)
    const reports = Map.groupBy(
      reported.length === 0 ? [] : await listOpenReports(db, askRows, reported, reportsShown),
      ({ imageId }) => imageId,
    )
    const hasAccepted = (id: number): boolean => submitters.get(id)?.hasAccepted ?? false
    const flags = await findFlags(rows, { trails, hasAccepted })
    return new Map(
      rows.map((row): [number, QueuePart] => {
        const {
          id: acctID,
          displayName,
          isTrusted,
          approved,
          rejected,
        } = submitters.get(row.submitterId) ?? {
          id: row.submitterId,
          displayName: '',
          isTrusted: false,
          approved: 0,
          rejected: 0,
        }
        return [
          row.id,
          {
            waitingSince: writeTimestamp(row.queuedAt),
            why: whyOf(row),
            flags: flags.get(row.id) ?? [],
            edits: editsOf(row),
            reports: { open: row.openReports, items: (reports.get(row.id) ?? []).map(showReport) },
            claim: claimOf(row),
            submitter: { acctID, displayName, trusted: isTrusted, approved, rejected },
          },
        ]
      }),
    )
  }

  return {
    /** @throws refusals `forbidden`, `insufficient-scope`. */
    requireReviewer: (actor: Actor): void => void reviewerOf(actor),

    /**
     * One page and one more row, which shows that there is a next page.
     * @returns the rows in order, and a function that renders each.
     */
    list: async (
      actor: Actor,
      filters: Omit<QueueFilters, 'trails'>,
      limit: number,
    ): Promise<{ rows: QueuedImage[]; show: (row: QueuedImage) => QueueItem | undefined }> => {
      const reviewer = reviewerOf(actor)
      const { accountId: viewer, trails } = reviewer
      const rows = await rowsOf({ ...filters, trails }, { viewer, now: now(), limit: limit + 1 })
      const items = new Map<number, QueueItem>()
      await inParts(rows.slice(0, limit), async (some) => {
        const parts = await partsOf(some, reviewer)
        for (const row of some) {
          const queue = parts.get(row.id)
          if (queue && row.state !== 'deleted')
            items.set(row.id, Object.assign(present(actor, row), { queue }))
        }
      })
      const show = ({ id }: QueuedImage): QueueItem | undefined => items.get(id)
      return { rows, show }
    },

    /** How much waits on the trails of the reviewer. */
    summary: (actor: Actor): Promise<Waiting> => countWaiting(db, reviewerOf(actor).trails),
  }
}

export type Queue = ReturnType<typeof createQueue>
