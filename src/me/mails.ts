// Whether the person wants mails about photos, and in which language mails come.
import { updateLanguage, updateMails } from '../accounts/account-table.ts'
import { recordAudit } from '../accounts/audit/audit.ts'
import type { Db, Tx } from '../database/database.ts'
import type { Language } from '../shared/languages.ts'
import type { Person } from '../sign-in/page-parts.ts'

type Owner = Pick<Person, 'accountId'>

export function createMailChoices(db: Db, now: () => number) {
  const change = (
    { accountId }: Owner,
    detail: Readonly<Record<string, unknown>>,
    update: (tx: Tx) => Promise<void>,
  ): Promise<void> =>
    db.transaction().execute(async (tx) => {
      await update(tx)
      const by = { accountId, via: 'session' } as const
      await recordAudit(tx, { at: now(), by, action: 'account.changed', accountId, detail })
    })

  return {
    /** @throws refusal `read-only`. */
    changeMails: (person: Owner, mails: 'on' | 'off'): Promise<void> =>
      change(person, { mails }, (tx) => updateMails(tx, person.accountId, mails)),

    /** @throws refusal `read-only`. */
    changeLanguage: (person: Owner, language: Language | null): Promise<void> =>
      change(person, { language }, (tx) => updateLanguage(tx, person.accountId, language)),
  }
}
