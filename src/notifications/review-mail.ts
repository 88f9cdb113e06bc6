// Emails staff once a day how many photos wait for review, from one of several servers, even after restarts.
import { listAccountTrails } from '../accounts/account-table.ts'
import type { Db } from '../database/database.ts'
import type { Mail, Mailer } from '../mail/mailer.ts'
import { waitingMail } from './mails.ts'
import { countWaiting, giveCounterBack, listStaff, takeCounter } from './decision-emails-table.ts'

/** The day on which it was last sent, in days since 1970 UTC. */
const counter = 'review-mail'
const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Before it is tried again on a day on which the mail server did not answer. */
const patienceMs = 5 * 60_000
/** In a row from the first on; then it is the mail server, and not the addresses. */
const maxFailures = 3

export interface ReviewMailDependencies {
  readonly db: Db
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number
  readonly mailer: Pick<Mailer, 'deliver' | 'send'>
  readonly publicUrl: string
  /** Where staff review. */
  readonly reviewUrl: string
  /** The hour, UTC, from which it is sent. */
  readonly hour: number
}

export function createReviewMail(dependencies: ReviewMailDependencies) {
  const { db, now, mailer, hour } = dependencies
  let notBefore = 0
  /** Known to be done, by this server or another, so that nothing is written to find it out. */
  let doneDay = 0
  /** Recipients whose email failed last time: they come last, so that others get their turn. */
  let failed: ReadonlySet<string> = new Set()

  async function mails() {
    const written = []
    for (const reader of await listStaff(db)) {
      const { id, role } = reader
      const trails = role === 'reviewer' ? await listAccountTrails(db, id) : []
      const waiting = await countWaiting(db, trails.length === 0 ? undefined : trails)
      if (waiting > 0) written.push(waitingMail(reader, dependencies, waiting))
    }
    return written
  }

  /** One full mailbox must not delay the others, and a mail server that is down is not tried for each recipient. */
  async function deliverAll(written: readonly Mail[]) {
    const inOrder = written.toSorted(
      (one, other) => Number(failed.has(one.to)) - Number(failed.has(other.to)),
    )
    const putOff: Mail[] = []
    let isAnyDone = false
    for (const mail of inOrder) {
      if (!isAnyDone && putOff.length >= maxFailures) break
      if ((await mailer.deliver(mail)) === 'later') putOff.push(mail)
      else isAnyDone = true
    }
    failed = new Set(putOff.map(({ to }) => to))
    return { isAnyDone, putOff }
  }

  return {
    /** Sends it at the set hour, unless it was sent today. */
    run: async (): Promise<void> => {
      const at = now()
      const day = Math.floor(at / dayMs)
      if (day === doneDay || at < notBefore || at < day * dayMs + hour * hourMs) return
      const isOurs = await takeCounter(db, counter, day)
      doneDay = day
      if (!isOurs) return
      const written = await mails()
      const { isAnyDone, putOff } = await deliverAll(written)
      if (!isAnyDone && putOff.length > 0) {
        // Nobody has received it, so it is still to be sent today.
        notBefore = at + patienceMs
        doneDay = 0
        return giveCounterBack(db, counter, day)
      }
      // Once one has been sent, the others are retried over time.
      for (const mail of putOff) mailer.send(mail)
    },
  }
}
