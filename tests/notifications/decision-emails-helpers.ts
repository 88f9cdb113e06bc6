// A Waymark with a mail server, and what its submitters and reviewers do.
import assert from 'node:assert/strict'
import { startMailServer } from '../helpers/mail-server.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { startWaymark, type Person, type WaymarkOptions } from '../helpers/waymark.ts'

export const minute = 60_000

export async function startWithMail({
  refusing = 0,
  environment = {},
  ...options
}: WaymarkOptions & { readonly refusing?: number } = {}) {
  const mailServer = await startMailServer({ refusing })
  const waymark = await startWaymark({
    ...options,
    environment: { SMTP_URL: mailServer.url, REVIEW_MAIL_HOUR: 'off', ...environment },
  })
  const { db } = waymark.installation.database
  let pictures = 0
  const tokens = new Map<number, { readonly token: string; readonly at: number }>()

  /** The person with a token that lives, however far the clock was turned. */
  async function fresh({ accountId }: Person): Promise<Person> {
    const now = waymark.system.now()
    const kept = tokens.get(accountId)
    if (kept && now - kept.at < 5 * minute) return { accountId, token: kept.token }
    const token = await waymark.tokenFor(accountId, 'images:read images:write images:review')
    tokens.set(accountId, { token, at: now })
    return { accountId, token }
  }

  return {
    waymark,
    mailServer,
    db,
    /** Sends what is due, after so much time. */
    pass: async (minutes: number): Promise<void> => {
      waymark.system.advance(minutes * minute)
      await waymark.app.services.notifier?.run()
    },
    mails: () => mailServer.mails.splice(0),
    upload: async (person: Person, title = '', trailId = 7): Promise<number> => {
      pictures += 1
      const picture = await jpegPicture({ width: 20 + pictures, height: 9 })
      const imageId = await waymark.upload(await fresh(person), trailId, picture)
      if (title !== '') await db.updateTable('image').set({ title }).where('id', '=', imageId).execute()
      return imageId
    },
    review: async (person: Person, imageId: number, body: object): Promise<void> => {
      const answer = await waymark.fetch(`/v2/images/${imageId}/review`, {
        method: 'POST',
        token: (await fresh(person)).token,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      assert.equal(answer.status, 200, await answer.text())
    },
    close: async (): Promise<void> => {
      await waymark.close()
      await mailServer.close()
    },
  }
}

export type WithMail = Awaited<ReturnType<typeof startWithMail>>

/** What is written, without the headers. */
export const bodyOf = ({ text }: { readonly text: string }): string => text.slice(text.indexOf('\n\n') + 2)
export const subjectOf = ({ text }: { readonly text: string }): string | undefined =>
  /^Subject: \[Waymark\] (.*)$/m.exec(text)?.[1]
