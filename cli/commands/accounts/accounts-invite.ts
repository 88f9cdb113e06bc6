// waymark accounts invite: creates an invitation link for an email address.
import type { Command } from 'commander'
import { createAccounts } from '../../../src/accounts/accounts.ts'
import { byCommand } from '../../../src/accounts/audit/audit.ts'
import { hashPassword } from '../../../src/auth/passwords.ts'
import { createSessions } from '../../../src/auth/sessions.ts'
import type { Role } from '../../../src/database/schema.ts'
import { createJoining } from '../../../src/sign-in/joining.ts'
import { withWritableInstallation } from '../../installation.ts'
import { wordOption } from '../../options.ts'
import { formatTimestamp, rfc3339, type Output } from '../../output.ts'

interface Options {
  readonly email: string
  readonly role: Role
}

export function addAccountsInvite(parent: Command, output: Output): void {
  parent
    .command('invite')
    .description('create an invitation link, valid for seven days')
    .requiredOption('--email <email>', 'email address of the new account')
    .option(
      '--role <role>',
      'member, reviewer or admin',
      wordOption('--role', ['member', 'reviewer', 'admin']),
      'member',
    )
    .action(async ({ email, role }: Options) => {
      const { link, expiresAt } = await withWritableInstallation(async ({ config, database, system }) => {
        const { db } = database
        const { publicUrl, signUp } = config
        const now = () => system.now()
        const sessions = createSessions({ db, now, publicUrl })
        const accounts = createAccounts({ db, system, hashPassword })
        const joining = createJoining({
          db,
          now,
          accounts,
          sessions,
          mailer: undefined,
          signUp,
          publicUrl,
          asking: undefined,
        })
        return joining.invite(email, role, byCommand)
      })
      output.answer({
        document: { email, role, url: link, expiresAt: rfc3339(expiresAt) },
        lines: [`Send this link to ${email}; it works once, until ${formatTimestamp(expiresAt)}:`, '', link],
      })
    })
}
