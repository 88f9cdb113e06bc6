// waymark accounts reset-link: creates a link with which the owner of an account sets a password.
import type { Command } from 'commander'
import { byCommand } from '../../../src/accounts/audit/audit.ts'
import { createSessions } from '../../../src/auth/sessions.ts'
import { createRecovery } from '../../../src/sign-in/recovery.ts'
import { withExistingWritable } from '../../installation.ts'
import { idOption } from '../../options.ts'
import type { Output } from '../../output.ts'

export function addAccountsResetLink(parent: Command, output: Output): void {
  parent
    .command('reset-link')
    .description('create a password reset link, which works once within an hour')
    .requiredOption('--account <id>', 'the acctID', idOption('--account'))
    .action(async ({ account }: { readonly account: number }) => {
      const url = await withExistingWritable(async ({ config, database, system }) => {
        const { publicUrl } = config
        const now = () => system.now()
        const sessions = createSessions({ db: database.db, now, publicUrl })
        const recovery = createRecovery({
          db: database.db,
          now,
          sessions,
          mailer: undefined,
          publicUrl,
          siteWords: () => [],
          attempts: undefined,
        })
        return recovery.makeResetLink(account, byCommand)
      })
      output.answer({
        document: { acctID: account, url },
        lines: [
          `Give this link to the owner of account ${account} only; it works once, within an hour:`,
          '',
          url,
        ],
      })
    })
}
