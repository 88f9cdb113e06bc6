// Deletes an account: all that is the person's goes in one transaction, then the files that nothing shows any more.
//
//   leave ─┬─ one transaction ─→ tombstone; credentials, routes, zones, webhooks gone; photos purged or kept; audit
//          └─ after it ────────→ files removed, one content after the other; what a crash leaves is the sweep's
//
// A crash therefore finds the account whole or gone, never half.
import { recordAudit, type AuditActor } from '../accounts/audit/audit.ts'
import type { Blobs } from '../storage/port.ts'
import type { LeavingReport } from '../shared/v2/leaving-schemas.ts'
import { writeTimestamp } from '../shared/v2/timestamps.ts'
import type { Db, Tx } from '../database/database.ts'
import { refuse } from '../errors.ts'
import { bumpTrailVersion } from '../events/outbox.ts'
import { purgeImages, removeContents, unshownOf } from '../images/trash/purge.ts'
import {
  beginLeaving,
  deleteBelongings,
  deleteLinksFor,
  eraseFromAudit,
  hasActiveAdmin,
  listLateImages,
  listLeavingImages,
  listLeftSince,
  makeTombstone,
  type LeavingImage,
  type LeavingPerson,
} from './deletion-table.ts'
import { mailLanguage } from '../texts/request-language.ts'
import { leavingMail, type LeavingMail } from './leaving-mail.ts'

export type PhotosFate = LeavingReport['photos']

export interface DeletionDependencies {
  readonly db: Db
  readonly blobs: Blobs
  readonly now: () => number
  /** Undefined if no email can be sent. */
  readonly sendMail: ((mail: LeavingMail) => void) | undefined
}

/** No request takes longer. */
const lateForMs = 2 * 24 * 3_600_000

/** What the transaction has done, and what is left to do. */
interface Left {
  readonly report: LeavingReport
  readonly person: LeavingPerson
  /** Contents that nothing refers to any more. */
  readonly contents: readonly string[]
}

const idsOf = (images: readonly LeavingImage[]): number[] => images.map(({ id }) => id)
const contentsOf = (images: readonly LeavingImage[]): string[] => [
  ...new Set(images.map(({ sha256 }) => sha256)),
]

/** In a fixed order, so that two deletions cannot deadlock. */
async function bumpTrails(tx: Tx, images: readonly LeavingImage[]): Promise<void> {
  const trails = new Set(images.map((image) => image.trailId))
  for (const trailId of [...trails].toSorted((one, other) => one - other)) await bumpTrailVersion(tx, trailId)
}

export function createDeletion({ db, blobs, now, sendMail }: DeletionDependencies) {
  async function leaveIn(tx: Tx, accountId: number, photos: PhotosFate, by: AuditActor): Promise<Left> {
    const at = now()
    const person = await beginLeaving(tx, accountId, at)
    if (!person) throw refuse('invalid-account-id')
    await makeTombstone(tx, accountId, at)
    // Checked after the change, within its transaction, so that two admins cannot leave at once.
    const wasAdmin = person.role === 'admin' && person.suspendedAt === null
    if (wasAdmin && !(await hasActiveAdmin(tx))) throw refuse('last-admin')
    await eraseFromAudit(tx, accountId, person.email)
    await deleteLinksFor(tx, person.email)
    const gone = await deleteBelongings(tx, accountId)
    const images = await listLeavingImages(tx, accountId)
    const purged = photos === 'keep' ? images.filter(({ state }) => state !== 'approved') : images
    // Including trails of photos that stay: their lists show another name.
    await bumpTrails(tx, images)
    await purgeImages(tx, idsOf(purged), { at, actorId: by.accountId ?? accountId })
    const { contents, bytes } = await unshownOf(tx, contentsOf(purged))
    const report: LeavingReport = {
      acctID: accountId,
      deletedAt: writeTimestamp(at),
      photos,
      photosDeleted: purged.length,
      photosKept: images.length - purged.length,
      contentsRemoved: contents.length,
      bytesRemoved: bytes,
      contentsLeft: 0,
      routesDeleted: gone.routes,
      zonesDeleted: gone.zone,
      sessionsEnded: gone.session,
      passkeysDeleted: gone.passkey,
      keysRevoked: gone.api_key,
      clientsDeleted: gone.clients,
      applicationsRevoked: gone.consent,
      webhooksDeleted: gone.webhook,
    }
    await recordAudit(tx, { at, by, action: 'account.deleted', accountId, detail: report })
    return { report, person, contents }
  }

  async function clearUpAfter(tx: Tx, id: number, deletedAt: number): Promise<readonly LeavingImage[]> {
    const late = await listLateImages(tx, id, deletedAt)
    await deleteBelongings(tx, id)
    await bumpTrails(tx, late)
    await purgeImages(tx, idsOf(late), { at: now(), actorId: id })
    return late
  }

  return {
    /**
     * Deletes the account permanently. Routes and other data of the user alone are always deleted; `keep` leaves listed
     * photos, credited to a former member.
     * @throws refusals `invalid-account-id`, `last-admin`, `read-only`.
     */
    leave: async (accountId: number, photos: PhotosFate, by: AuditActor): Promise<LeavingReport> => {
      const { report, person, contents } = await db
        .transaction()
        .execute((tx) => leaveIn(tx, accountId, photos, by))
      const { length: contentsLeft } = await removeContents({ db, blobs, now }, contents)
      const whole = { ...report, contentsLeft, contentsRemoved: report.contentsRemoved - contentsLeft }
      sendMail?.(leavingMail(person.email, mailLanguage(person.language), whole))
      return whole
    },

    /**
     * Deletes what requests in progress stored after an account was deleted: nobody could reach it, but it must not
     * stay. @returns how many images that were.
     */
    sweep: async (): Promise<number> => {
      let removed = 0
      for (const { id, deletedAt } of await listLeftSince(db, now() - lateForMs)) {
        const late = await db.transaction().execute((tx) => clearUpAfter(tx, id, deletedAt ?? 0))
        removed += late.length
        await removeContents({ db, blobs, now }, contentsOf(late))
      }
      return removed
    },
  }
}

export type Deletion = ReturnType<typeof createDeletion>
