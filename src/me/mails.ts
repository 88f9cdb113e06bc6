// Whether the person wants mails about photos.
import { updateMails } from '../accounts/account-table.ts'
import { recordAudit } from '../accounts/audit/audit.ts'
import type { Db } from '../database/database.ts'
import type { Person } from '../sign-in/page-parts.ts'

/** @throws refusal `read-only`. */
export async function changeMails(
  db: Db,
  { accountId }: Pick<Person, 'accountId'>,
  { mails, at }: { readonly mails: 'on' | 'off'; readonly at: number },
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await updateMails(tx, accountId, mails)
    const by = { accountId, via: 'session' } as const
    await recordAudit(tx, { at, by, action: 'account.changed', accountId, detail: { mails } })
  })
}
