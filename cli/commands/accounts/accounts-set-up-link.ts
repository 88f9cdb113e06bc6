// waymark accounts set-up-link: creates a link to set up the first admin, if the printed one is lost or must not be
// printed.
import type { Command } from 'commander'
import { hasAdmin } from '../../../src/accounts/account-table.ts'
import { createAccounts } from '../../../src/accounts/accounts.ts'
import { hashPassword } from '../../../src/auth/passwords.ts'
import { createSessions } from '../../../src/auth/sessions.ts'
import { createJoining } from '../../../src/sign-in/joining.ts'
import { fail } from '../../failures.ts'
import { withWritableInstallation } from '../../installation.ts'
import type { Output } from '../../output.ts'

export function addAccountsSetUpLink(parent: Command, output: Output): void {
  parent
    .command('set-up-link')
    .description('create the set-up link for the first admin account, valid for a day')
    .action(async () => {
      const url = await withWritableInstallation(async ({ config, database, system }) => {
        const { db } = database
        if (await hasAdmin(db)) return undefined
        const { publicUrl, signUp } = config
        const now = () => system.now()
        const joining = createJoining({
          db,
          now,
          accounts: createAccounts({ db, system, hashPassword }),
          sessions: createSessions({ db, now, publicUrl }),
          mailer: undefined,
          signUp,
          publicUrl,
          asking: undefined,
        })
        return joining.makeSetUpLink('asked')
      })
      if (url === undefined)
        throw fail(
          'already-there',
          `An admin already exists: sign in, or use ${output.quoted('accounts reset-link')}.`,
        )
      output.answer({
        document: { url },
        lines: ['Open this link within a day; earlier links no longer work:', '', url],
      })
    })
}
