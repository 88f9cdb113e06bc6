// Sends the mails about photos in the background: every few seconds whatever is due, from one server of several.
import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../database/database.ts'
import { dropLease, takeLease } from '../database/leases.ts'
import { findReadOnly } from '../database/read-only.ts'
import type { Mailer } from '../mail/mailer.ts'
import { createNotices, type NoticesDependencies } from './notices.ts'
import { createReviewMail } from './review-mail.ts'

const everyMs = 15_000
const lease = 'notices-lease'
/** Longer than the delivery of one mail may take. */
const leaseMs = 120_000
/** How long a stop waits for a mail that is being delivered; one that is not noted comes again. */
const stopMs = 3_000

export interface NotifierDependencies extends Omit<NoticesDependencies, 'mayGoOn' | 'onGivenUp' | 'mailer'> {
  readonly db: Db
  readonly mailer: Mailer
  /** Where staff review. */
  readonly reviewUrl: string
  /** Undefined for never. */
  readonly reviewMailHour: number | undefined
  readonly log: {
    warn(facts: object, text: string): void
    error(facts: object, text: string): void
  }
}

export function createNotifier(dependencies: NotifierDependencies) {
  const { db, now, log, reviewMailHour: hour } = dependencies
  let kept = 0
  let isStopping = false
  let isFailing = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined

  async function mayGoOn(): Promise<boolean> {
    if (isStopping || (await findReadOnly(db))) return false
    const at = now()
    const until = at + leaseMs
    if (!(await takeLease(db, lease, { now: at, until, kept }))) return false
    kept = until
    return true
  }

  const notices = createNotices({
    ...dependencies,
    mayGoOn,
    onGivenUp: (facts) => log.warn(facts, 'a mail about photos was given up'),
  })
  const reviewMail = hour === undefined ? undefined : createReviewMail({ ...dependencies, hour })

  async function runOnce(): Promise<void> {
    if (isStopping || (await findReadOnly(db))) return
    await notices.run()
    await reviewMail?.run()
  }

  /** One at a time: who comes while one runs waits for it, and then for one more. */
  function run(): Promise<void> {
    const before = running
    const next = (async () => {
      await before
      await runOnce()
    })()
    const end = async (): Promise<void> => {
      await next.catch(() => undefined) // told to whoever asked for it
      if (running === ended) running = undefined
    }
    const ended = end()
    running = ended
    return next
  }

  async function tick(): Promise<void> {
    try {
      await run()
      isFailing = false
    } catch (error) {
      if (!isFailing && !isStopping) log.error({ err: error }, 'mails about photos cannot be sent')
      isFailing = true
    }
  }

  return {
    /** Sends whatever is due now. */
    run,

    /** From now on what is due is sent by itself. */
    start: (): void => {
      void tick()
      timer ??= setInterval(() => {
        if (running === undefined) void tick()
      }, everyMs).unref()
    },

    close: async (): Promise<void> => {
      isStopping = true
      clearInterval(timer)
      const waited = new AbortController()
      const patience = pause(stopMs, undefined, { signal: waited.signal }).catch(() => undefined)
      await Promise.race([running, patience])
      waited.abort()
      if (kept > 0) await dropLease(db, lease, kept).catch(() => undefined)
    },
  }
}

export type Notifier = ReturnType<typeof createNotifier>
