// Attempts counted one by one over all nodes: guesses at a password, mails that strangers ask for, polls of a device.
// Guesses are slowed down and never locked out: beyond the free ones each has to wait twice as long as the one before.
import { refuse, type DetailIn, type Refusal } from '../../errors.ts'
import type { RateFigures } from './rate-limits.ts'
import type { SharedCounts } from './shared-rates.ts'

const firstWaitMs = 5_000
const hour = 3_600_000
const quarterHour = hour / 4
/** Guesses at one account from everywhere, as a multiple of those from one address. */
const addressesPerAccount = 5
const maxMailsPerHour = 3
/** RFC 8628 section 3.5: the polling interval of a device, and what each early poll adds to it. */
const pollMs = 5_000
/** A device's timer may fire a little early. */
const pollSlackMs = 250
/** Longer than any device code lives. */
const pollMemoryMs = hour

const slowingsFrom = ({ rateLimitFactor, rateSignIn, rateSignInAccount }: RateFigures) => {
  const free = (figure: number): number => Math.max(1, Math.round(figure * rateLimitFactor))
  return {
    /** From one address, for any account. */
    address: { free: free(rateSignIn), lengthMs: quarterHour },
    /** On one account, from one address. */
    account: { free: free(rateSignInAccount), lengthMs: hour },
    /** On one account, from everywhere: a password cannot be guessed from a thousand addresses either. */
    everywhere: { free: free(rateSignInAccount * addressesPerAccount), lengthMs: hour },
    /** On one account, from a browser that was signed in to it before, or still is. */
    device: { free: free(rateSignInAccount), lengthMs: hour },
  } as const
}

export type SlowingName = keyof ReturnType<typeof slowingsFrom>

export interface Guess {
  readonly slowing: SlowingName
  readonly bucket: string
}

export interface Attempt {
  /** Call it if the guess was right: only wrong ones cause delays. */
  refund(): Promise<void>
}

/** How long after the start of its window attempt number n may come. */
export function earliestMs(number: number, free: number): number {
  return number <= free ? 0 : firstWaitMs * (2 ** (number - free) - 1)
}

export interface AttemptsDependencies {
  readonly counts: SharedCounts
  readonly figures: RateFigures
}

export function createAttempts({ counts, figures }: AttemptsDependencies) {
  const slowings = slowingsFrom(figures)

  /** @returns the longest wait that any window requires before its count plus `more`; 0 for none. */
  async function add(guesses: readonly Guess[], count: -1 | 0 | 1, more: 0 | 1): Promise<number> {
    const windows = await counts.add(
      guesses.map(({ slowing, bucket }) => ({
        policy: `guess-${slowing}`,
        bucket,
        count,
        lengthMs: slowings[slowing].lengthMs,
      })),
    )
    // The database may return rows in another order.
    const waits = guesses.map(({ slowing, bucket }) => {
      const { free, lengthMs } = slowings[slowing]
      const window = windows.find((one) => one.policy === `guess-${slowing}` && one.bucket === bucket)
      if (window === undefined) return 0
      const earliest = earliestMs(window.count + more, free)
      // Not left to the subtraction: a clock with fractions of a millisecond may say that a window is longer than it is.
      if (earliest === 0) return 0
      const { endsInMs } = window
      return Math.min(earliest - (lengthMs - endsInMs), endsInMs)
    })
    return Math.max(0, ...waits)
  }

  /**
   * Counts one guess in each window, before it is checked. @returns how many milliseconds too early it came, or the
   * attempt.
   */
  async function begin(guesses: readonly Guess[]): Promise<Attempt | number> {
    // Checked first, so that a flood of refused guesses is never counted.
    const early = await add(guesses, 0, 1)
    if (early > 0) return early
    const late = await add(guesses, 1, 0)
    const refund = async (): Promise<void> => void (await add(guesses, -1, 0))
    if (late <= 0) return { refund }
    await refund()
    return late
  }

  return {
    /**
     * Counts a guess, before it is checked.
     * @param wordsFor the sentence of the refusal, which is the same whether or not there is such an account.
     * @throws refusal `too-many-requests`.
     */
    begin: async (
      guesses: readonly Guess[],
      wordsFor: (seconds: number) => string | DetailIn,
    ): Promise<Attempt> => {
      const begun = await begin(guesses)
      if (typeof begun !== 'number') return begun
      throw tooEarly(begun, wordsFor)
    },

    /** The same; undefined if the guess came too early. */
    tryBegin: async (guesses: readonly Guess[]): Promise<Attempt | undefined> => {
      const begun = await begin(guesses)
      return typeof begun === 'number' ? undefined : begun
    },

    /**
     * Counts an email that a stranger may have requested. @returns whether it may be sent: three an hour per recipient.
     */
    mayMail: async (recipient: string): Promise<boolean> => {
      const mail = { policy: 'mail', bucket: recipient, lengthMs: hour }
      const [window] = await counts.add([{ ...mail, count: 1 }])
      if (window === undefined || window.count <= maxMailsPerHour) return true
      await counts.add([{ ...mail, count: -1 }])
      return false
    },

    /**
     * Counts a poll of a device. @returns whether it came too early; then every later one must wait five seconds
     * longer.
     */
    isPollTooFast: async (device: string): Promise<boolean> => {
      const slowed = { policy: 'device-slowed', bucket: device, lengthMs: pollMemoryMs }
      const poll = (times: number) => ({
        policy: 'device-poll',
        bucket: `${device} ${times}`,
        count: 1,
        lengthMs: pollMs * (1 + times) - pollSlackMs,
      })
      const [before] = await counts.add([{ ...slowed, count: 0 }])
      const [polled] = await counts.add([poll(before?.count ?? 0)])
      if (polled === undefined || polled.count <= 1) return false
      const [after] = await counts.add([{ ...slowed, count: 1 }])
      // The longer wait begins with this poll.
      await counts.add([poll(after?.count ?? 1)])
      return true
    },
  }
}

function tooEarly(waitMs: number, wordsFor: (seconds: number) => string | DetailIn): Refusal {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000))
  return refuse('too-many-requests', {
    detail: wordsFor(seconds),
    headers: { 'Retry-After': String(seconds) },
  })
}

export type Attempts = ReturnType<typeof createAttempts>
