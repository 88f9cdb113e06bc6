// The job that sends emails about photos: every few seconds, on one of several servers.
import type { Db } from '../database/database.ts'
import { createLease } from '../database/leases.ts'
import type { Jobs } from '../jobs/runner.ts'
import type { Mailer } from '../mail/mailer.ts'
import { createDecisionEmails, type DecisionEmailsDependencies } from './decision-emails.ts'
import { createReviewMail } from './review-mail.ts'

const everyMs = 15_000
/** Longer than the delivery of one mail may take. */
const leaseMs = 120_000
/** How long a stop waits for an email that is being delivered; without confirmation it is sent again later. */
const stopMs = 3_000

export interface NotifierDependencies extends Omit<DecisionEmailsDependencies, 'onGivenUp' | 'mailer'> {
  readonly db: Db
  readonly mailer: Mailer
  readonly jobs: Jobs
  /** Where staff review. */
  readonly reviewUrl: string
  /** Undefined for never. */
  readonly reviewMailHour: number | undefined
  readonly log: {
    warn(facts: object, text: string): void
  }
}

export function createNotifier(dependencies: NotifierDependencies) {
  const { db, now, jobs, log, reviewMailHour: hour } = dependencies
  const reviewMail = hour === undefined ? undefined : createReviewMail({ ...dependencies, hour })
  const job = jobs.add({
    name: 'email-notifications',
    everyMs,
    writes: true,
    lease: createLease(db, { name: 'notices-lease', lengthMs: leaseMs, now }),
    closeWithinMs: stopMs,
    run: async ({ mayContinue }) => {
      await notices.run(mayContinue)
      await reviewMail?.run()
    },
  })
  const notices = createDecisionEmails({
    ...dependencies,
    onGivenUp: (facts) => log.warn(facts, 'an email about photos was discarded'),
  })

  return {
    /** Sends everything that is due now. */
    run: job.run,
    /** Starts sending periodically. */
    start: job.start,
    close: job.close,
  }
}

export type Notifier = ReturnType<typeof createNotifier>
