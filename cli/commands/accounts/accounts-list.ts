// waymark accounts list: lists the accounts with role and status.
import type { Command } from 'commander'
import { listAccounts, type AdminAccount } from '../../../src/admin/account-list.ts'
import type { Role } from '../../../src/database/schema.ts'
import { withExistingInstallation } from '../../installation.ts'
import { wordOption } from '../../options.ts'
import { counted, rfc3339, table, type Output } from '../../output.ts'

interface Options {
  readonly find?: string
  readonly role?: Role
}

const max = 100_000

const documentOf = (account: AdminAccount) => ({
  acctID: account.id,
  displayName: account.displayName,
  email: account.email,
  emailVerified: account.emailVerifiedAt !== null,
  unclaimed: account.unclaimedAt !== null,
  role: account.role,
  trails: account.trails,
  suspended: account.suspendedAt !== null,
  hasPassword: account.hasPassword,
  createdAt: rfc3339(account.createdAt),
})

export function addAccountsList(parent: Command, output: Output): void {
  parent
    .command('list')
    .description('list accounts')
    .option('--find <text>', 'only accounts with this text in their name or email, or with this acctID')
    .option(
      '--role <role>',
      'only accounts with this role',
      wordOption('--role', ['member', 'reviewer', 'admin']),
    )
    .action(async ({ find, role }: Options) => {
      const accounts = await withExistingInstallation(({ database }) =>
        listAccounts(database.db, { q: find, role }, max),
      )
      const rows = accounts.map(({ id, role: has, suspendedAt, email, displayName }) => [
        String(id),
        has,
        suspendedAt === null ? '' : 'suspended',
        email,
        displayName,
      ])
      output.answer({
        document: {
          accounts: accounts.map(documentOf),
        },
        lines: [
          ...(rows.length > 0 ? table([['ACCTID', 'ROLE', '', 'E-MAIL', 'NAME'], ...rows]) : []),
          counted(rows.length, 'account'),
        ],
      })
    })
}
