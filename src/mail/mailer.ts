// Sends email over SMTP, in the background: a page never waits for a mail server, so its response does not reveal which
// addresses are known.
import { setTimeout as pause } from 'node:timers/promises'
import { createTransport } from 'nodemailer'

export interface Mail {
  readonly to: string
  /** Without the name of the site, which the mailer puts before it. */
  readonly subject: string
  /** Plain text, without a signature. */
  readonly text: string
}

/** Decides whether there is an email to send, once nobody waits for it. */
export type LaterMail = () => Promise<Mail | undefined>

/** `refused`: the mail server will never take it, such as for an address that it does not know. `later`: it may yet. */
export type MailOutcome = 'delivered' | 'refused' | 'later'

export interface MailerOptions {
  /** `smtp://` or `smtps://`, with user and password if the server needs them. */
  readonly smtpUrl: string
  /** The sender's address, with a name (`Name <address>`) or without. */
  readonly from: string
  /** The name of the site in sender, subject and signature of every email; read for each. */
  readonly siteName: () => Promise<string>
  /** Called when an email is given up; contains nothing of its text, which has a secret in it. */
  readonly onFailure: (error: unknown) => void
  readonly retryAfterMs?: readonly number[]
}

const standardRetriesMs = [2_000, 15_000, 60_000]
const maxUnderWay = 100

/** What nodemailer says of a failure. */
interface MailFailure {
  readonly code?: unknown
  readonly responseCode?: unknown
  readonly command?: unknown
}

function isForGood(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, responseCode, command } = error as MailFailure
  // 5xx errors about recipient or text are final. Our password or sender may be refused with 5xx too, but can be
  // corrected.
  const isOfThisMail = (code === 'EENVELOPE' && command !== 'MAIL FROM') || code === 'EMESSAGE'
  return isOfThisMail && (typeof responseCode !== 'number' || responseCode >= 500)
}

export function createMailer(options: MailerOptions) {
  const { smtpUrl, from, siteName, onFailure, retryAfterMs = standardRetriesMs } = options
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const underWay = new Set<Promise<void>>()
  const closing = new AbortController()

  async function hand(mail: Mail): Promise<void> {
    const name = await siteName()
    // As an object, since a text would be taken apart at its commas and semicolons.
    await transport.sendMail({
      from: from.includes('<') ? from : { name, address: from },
      to: { name: '', address: mail.to },
      subject: `[${name}] ${mail.subject}`,
      text: `${mail.text}\n\n-- \n${name}`,
    })
  }

  async function tryAgainAndAgain(mail: Mail): Promise<void> {
    for (const waitMs of [...retryAfterMs, undefined]) {
      try {
        return await hand(mail)
      } catch (error) {
        if (waitMs === undefined || closing.signal.aborted) return onFailure(error)
        await pause(waitMs, undefined, { ref: false, signal: closing.signal }).catch(() => undefined)
      }
    }
  }

  async function write(mail: Mail | LaterMail): Promise<void> {
    try {
      const written = typeof mail === 'function' ? await mail() : mail
      if (written) await tryAgainAndAgain(written)
    } catch (error) {
      onFailure(error)
    }
  }

  return {
    /** Takes the mail and returns at once; tries a few times within a minute or so. */
    send: (mail: Mail | LaterMail): void => {
      if (underWay.size >= maxUnderWay) return onFailure(new Error('too many mails wait for the mail server'))
      const work = write(mail).finally(() => underWay.delete(work))
      underWay.add(work)
    },

    /** Tries once, and returns the result, for callers that store the email until it is delivered. */
    deliver: async (mail: Mail): Promise<MailOutcome> => {
      if (closing.signal.aborted) return 'later'
      try {
        await hand(mail)
        return 'delivered'
      } catch (error) {
        onFailure(error)
        return isForGood(error) ? 'refused' : 'later'
      }
    },

    /** Tries pending emails once more, and stops. */
    close: async (): Promise<void> => {
      closing.abort()
      await Promise.all(underWay)
      transport.close()
    },
  }
}

export type Mailer = ReturnType<typeof createMailer>
