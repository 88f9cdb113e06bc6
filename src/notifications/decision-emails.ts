// Emails submitters about decisions on their photos. A notification is noted as sent once the mail server has accepted
// it: after a crash an email may be sent twice, but none is lost.
import { setImmediate as turn } from 'node:timers/promises'
import type { Db } from '../database/database.ts'
import { newestPosition } from '../events/outbox.ts'
import type { Mail, Mailer } from '../mail/mailer.ts'
import { decisionsMail } from './mails.ts'
import {
  findCursor,
  findRecipient,
  listMarks,
  listMoves,
  listPhotos,
  markNotified,
  raiseCursor,
  type Move,
} from './decision-emails-table.ts'
import {
  giveUpMs,
  notificationContentOf,
  type DecisionNotice,
  type NotificationContent,
} from './notification-content.ts'

const rowsAtOnce = 1_000
const minute = 60_000
const maxBackoffMs = 15 * minute
/** In a row; then it is the mail server, and not the addresses. */
const maxFailures = 3

export interface DecisionEmailsDependencies {
  readonly db: Db
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number
  readonly mailer: Pick<Mailer, 'deliver'>
  readonly publicUrl: string
  /** The words for the codes of reasons. */
  readonly reasonLabels: () => Promise<ReadonlyMap<string, string>>
  /** The public URL of a listed photo. */
  readonly linkTo: (imageId: number) => string
  /** Called for emails that are given up. */
  readonly onGivenUp: (facts: { readonly accountId: number; readonly why: string }) => void
}

/** With several servers: may this one send now? Checked before each email. */
type MayContinue = () => Promise<boolean>

interface Window {
  readonly cursor: number
  readonly newest: number
  readonly all: readonly NotificationContent[]
  /** Submitters who could not be notified in time. */
  readonly givenUp: ReadonlySet<number>
}

const partition = (moves: readonly Move[], since: number): Move[][] => [
  moves.filter(({ at }) => at <= since),
  moves.filter(({ at }) => at > since),
]

export function createDecisionEmails(dependencies: DecisionEmailsDependencies) {
  const { db, now, mailer, publicUrl, reasonLabels, linkTo, onGivenUp } = dependencies
  /** Postponed emails: how often, and until when. */
  const failures = new Map<number, { readonly times: number; readonly until: number }>()

  /** The moves that have not been reported to their submitters. */
  async function readMoves(cursor: number, newest: number): Promise<Move[]> {
    const marks = await listMarks(db)
    const moves: Move[] = []
    let after = cursor
    for (;;) {
      const rows = await listMoves(db, { after, upTo: newest, limit: rowsAtOnce })
      moves.push(...rows.filter(({ submitterId, position }) => position > (marks.get(submitterId) ?? 0)))
      after = rows.at(-1)?.position ?? newest
      if (rows.length < rowsAtOnce) return moves
      await turn() // others first
    }
  }

  /** @returns undefined if there is nothing new, and on the very first run: old decisions are not reported. */
  async function look(): Promise<Window | undefined> {
    const newest = await newestPosition(db)
    const cursor = await findCursor(db)
    if (cursor === undefined) await raiseCursor(db, newest)
    if (cursor === undefined || cursor >= newest) return undefined
    const [stale = [], fresh = []] = partition(await readMoves(cursor, newest), now() - giveUpMs)
    const byOthers = stale.filter(({ actorId, submitterId }) => actorId !== submitterId)
    const givenUp = new Set(byOthers.map(({ submitterId }) => submitterId))
    const byOwner = Map.groupBy(fresh, ({ submitterId }) => submitterId)
    const all = [...byOwner].flatMap(([submitterId, own]) => notificationContentOf(submitterId, own) ?? [])
    return { cursor, newest, all, givenUp }
  }

  /**
   * @returns undefined if there is nothing to report, or the submitter wants no email; `again` if a photo was moved
   * just now, so that the next run reports it.
   */
  async function write({ submitterId, photos }: NotificationContent): Promise<Mail | 'again' | undefined> {
    const recipient = photos.length === 0 ? undefined : await findRecipient(db, submitterId)
    if (!recipient) return undefined
    const labels = await reasonLabels()
    const present = new Map(
      (
        await listPhotos(
          db,
          photos.map(({ imageId }) => imageId),
        )
      ).map((photo) => [photo.id, photo]),
    )
    const isOld = ({ imageId, decision }: DecisionNotice) =>
      (present.get(imageId)?.state ?? decision) !== decision
    if (photos.some(isOld)) return 'again'
    const decisions = photos.flatMap(({ imageId, decision, reason }) => {
      const photo = present.get(imageId)
      if (!photo) return []
      const { title, trailName } = photo
      const link = decision === 'approved' ? linkTo(imageId) : undefined
      return [{ title, trailName, decision, link, reason: labels.get(reason ?? '') ?? reason ?? undefined }]
    })
    return decisions.length === 0 ? undefined : decisionsMail(recipient, publicUrl, decisions)
  }

  /** @returns whether the submitter was notified, or never will be. */
  async function notify(content: NotificationContent): Promise<boolean> {
    const { submitterId } = content
    const mail = await write(content)
    if (mail === 'again') return false
    const outcome = mail === undefined ? 'delivered' : await mailer.deliver(mail)
    if (outcome === 'later') {
      const times = (failures.get(submitterId)?.times ?? 0) + 1
      failures.set(submitterId, { times, until: now() + Math.min(maxBackoffMs, minute * 2 ** (times - 1)) })
      return false
    }
    if (outcome === 'refused')
      onGivenUp({ accountId: submitterId, why: 'the mail server rejects the address' })
    failures.delete(submitterId)
    await markNotified(db, submitterId, content.last)
    return true
  }

  const isDue = ({ submitterId, dueAt }: NotificationContent): boolean =>
    dueAt <= now() && (failures.get(submitterId)?.until ?? 0) <= now()

  async function notifyAll(
    all: readonly NotificationContent[],
    mayContinue: MayContinue,
  ): Promise<Set<NotificationContent>> {
    const notified = new Set<NotificationContent>()
    let failed = 0
    for (const content of all.filter(isDue)) {
      if (failed >= maxFailures || !(await mayContinue())) break
      const isNotified = await notify(content)
      if (isNotified) notified.add(content)
      failed = isNotified ? 0 : failed + 1
    }
    return notified
  }

  return {
    /** Sends everything that is due. */
    run: async (mayContinue: MayContinue): Promise<void> => {
      if ((await look())?.all.some(isDue) === true && !(await mayContinue())) return
      // Read again, since another server may have sent emails until now.
      const window = await look()
      if (window === undefined) return
      for (const accountId of window.givenUp)
        onGivenUp({ accountId, why: 'no mail could be sent for two days' })
      const notified = await notifyAll(window.all, mayContinue)
      const left = window.all.filter((content) => !notified.has(content))
      const reached = Math.min(window.newest, ...left.map(({ first }) => first - 1))
      if (reached > window.cursor) await raiseCursor(db, reached)
    },
  }
}
