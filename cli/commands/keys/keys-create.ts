// waymark keys create: creates an API key and shows it once.
import type { Command } from 'commander'
import { createAccounts } from '../../../src/accounts/accounts.ts'
import { byCommand } from '../../../src/accounts/audit/audit.ts'
import { createApiKeys } from '../../../src/auth/api-keys.ts'
import { hashPassword } from '../../../src/auth/passwords.ts'
import { withWritableInstallation } from '../../installation.ts'
import { expiryForms, expiryOption, idOption, labelOption } from '../../options.ts'
import { formatTimestamp, type Output } from '../../output.ts'

interface Options {
  readonly account: number
  readonly name: string
  readonly expires?: (now: number) => number
}

export function addKeysCreate(parent: Command, output: Output): void {
  parent
    .command('create')
    .description('create an API key, which is shown once')
    .requiredOption('--account <id>', 'the acctID of its owner', idOption('--account'))
    .requiredOption('--name <label>', 'name of the key, such as what it is used for', labelOption('--name'))
    .option('--expires <when>', `when it expires: ${expiryForms}; by default never`, expiryOption)
    .action(async ({ account, name, expires }: Options) => {
      const { key, expiresAt } = await withWritableInstallation(async ({ database, system }) => {
        const now = () => system.now()
        const expiresAt = expires?.(now())
        await createAccounts({ db: database.db, system, hashPassword }).require(account)
        const key = await createApiKeys(database.db, now).create(account, { name, expiresAt, by: byCommand })
        return { key, expiresAt }
      })
      const { apiKey, prefix } = key
      output.answer({
        document: { apiKey, prefix },
        lines: [
          `Created an API key for account ${account}; ${expiresAt === undefined ? 'it does not expire' : `it expires at ${formatTimestamp(expiresAt)}`}:`,
          '',
          apiKey,
          '',
          `Store it now: it cannot be shown again. Use its prefix ${prefix} with ${output.quoted('keys list')} and ${output.quoted('keys revoke')}.`,
        ],
      })
    })
}
