// waymark accounts create: creates an account, optionally with a role and a password.
import type { Command } from 'commander'
import { createAccounts } from '../../../src/accounts/accounts.ts'
import { siteWordsOf } from '../../../src/accounts/password-rules.ts'
import { byCommand } from '../../../src/accounts/audit/audit.ts'
import { hashPassword } from '../../../src/auth/passwords.ts'
import type { Role } from '../../../src/database/schema.ts'
import { withWritableInstallation } from '../../installation.ts'
import { idOption, readHiddenLine, readSecretLine, wordOption } from '../../options.ts'
import type { Output } from '../../output.ts'

const roles = ['member', 'reviewer', 'admin'] as const satisfies readonly Role[]

interface Options {
  readonly email: string
  readonly name: string
  readonly id?: number
  readonly role: Role
  readonly passwordStdin?: boolean
}

function readPassword(output: Output): Promise<string> {
  if (!process.stdin.isTTY) return readSecretLine(process.stdin)
  return readHiddenLine(process.stdin, () => output.remark('Enter the password (it is not shown):'))
}

export function addAccountsCreate(parent: Command, output: Output): void {
  parent
    .command('create')
    .description('create an account')
    .requiredOption('--email <email>', 'email address')
    .requiredOption('--name <name>', 'display name')
    .option('--id <id>', 'acctID; by default a new random one', idOption('--id'))
    .option('--role <role>', 'member, reviewer or admin', wordOption('--role', roles), 'member')
    .option('--password-stdin', 'read the password from one line of stdin; by default the account has none')
    .action(async ({ email, name, id, role, passwordStdin }: Options) => {
      const password = passwordStdin === true ? await readPassword(output) : undefined
      const acctID = await withWritableInstallation(({ config, database, system }) =>
        createAccounts({
          db: database.db,
          system,
          hashPassword,
          siteWords: () => siteWordsOf(config),
        }).create({ email, displayName: name, role, id, password }, byCommand),
      )
      output.answer({ document: { acctID }, lines: [`Created account ${acctID}.`] })
    })
}
