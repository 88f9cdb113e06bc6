// waymark keys list: lists the API keys of an account by prefix.
import type { Command } from 'commander'
import { createAccounts } from '../../../src/accounts/accounts.ts'
import { createApiKeys, keyStatus, type KeyRow } from '../../../src/auth/api-keys.ts'
import { hashPassword } from '../../../src/auth/passwords.ts'
import { withExistingInstallation } from '../../installation.ts'
import { idOption } from '../../options.ts'
import { formatTimestamp, rfc3339, table, type Output } from '../../output.ts'

const written = (at: number | null): string | null => (at === null ? null : rfc3339(at))

function documentOf(key: KeyRow, now: number) {
  return {
    prefix: key.prefix,
    name: key.name,
    status: keyStatus(key, now),
    createdAt: rfc3339(key.createdAt),
    expiresAt: written(key.expiresAt),
    revokedAt: written(key.revokedAt),
    lastUsedAt: written(key.lastUsedAt),
  }
}

const dateOrNever = (at: number | null): string => (at === null ? 'never' : formatTimestamp(at))

function rowOf(key: KeyRow, now: number): string[] {
  const { prefix, createdAt, expiresAt, lastUsedAt, name } = key
  return [
    prefix,
    keyStatus(key, now),
    formatTimestamp(createdAt),
    dateOrNever(expiresAt),
    dateOrNever(lastUsedAt),
    name,
  ]
}

export function addKeysList(parent: Command, output: Output): void {
  parent
    .command('list')
    .description('list the API keys of an account')
    .requiredOption('--account <id>', 'its acctID', idOption('--account'))
    .action(async ({ account }: { readonly account: number }) => {
      const { keys, now } = await withExistingInstallation(async ({ database, system }) => {
        const now = system.now()
        await createAccounts({ db: database.db, system, hashPassword }).require(account)
        return { keys: await createApiKeys(database.db, () => now).list(account), now }
      })
      const heading = ['PREFIX', 'STATUS', 'CREATED', 'EXPIRES', 'LAST USED', 'NAME']
      output.answer({
        document: { keys: keys.map((key) => documentOf(key, now)) },
        lines:
          keys.length === 0
            ? [`Account ${account} has no API keys.`]
            : table([heading, ...keys.map((key) => rowOf(key, now))]),
      })
    })
}
