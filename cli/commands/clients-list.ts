// waymark clients list: the registered OAuth clients.
import type { Command } from 'commander'
import { listClients } from '../../src/auth/oauth-clients-table.ts'
import { withExistingInstallation } from '../installation.ts'
import { idOption } from '../options.ts'
import { counted, rfc3339, table, type Output } from '../output.ts'

const most = 100_000

export function addClientsList(parent: Command, output: Output): void {
  parent
    .command('list')
    .description('list the OAuth clients, newest first')
    .option('--account <id>', 'only those that this account answers for', idOption('--account'))
    .action(async ({ account }: { readonly account?: number }) => {
      const clients = await withExistingInstallation(({ database }) =>
        listClients(database.db, { accountId: account, limit: most }),
      )
      const rows = clients.map(({ id, accountId, name, scope, secretHash }) => [
        id,
        String(accountId),
        secretHash === null ? 'public' : 'confidential',
        scope,
        name,
      ])
      output.answer({
        document: {
          clients: clients.map(({ id, accountId, name, scope, secretHash, redirectUris, createdAt }) => ({
            clientId: id,
            acctID: accountId,
            name,
            scope,
            isPublic: secretHash === null,
            redirectUris: JSON.parse(redirectUris) as unknown,
            createdAt: rfc3339(createdAt),
          })),
        },
        lines: [
          ...(rows.length > 0 ? table([['CLIENT ID', 'ACCTID', 'KIND', 'SCOPE', 'NAME'], ...rows]) : []),
          counted(rows.length, 'client'),
        ],
      })
    })
}
