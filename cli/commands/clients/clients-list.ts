// waymark clients list: lists the registered OAuth clients.
import type { Command } from 'commander'
import { listClients } from '../../../src/auth/oauth/oauth-clients-table.ts'
import { withExistingInstallation } from '../../installation.ts'
import { idOption } from '../../options.ts'
import { counted, rfc3339, table, type Output } from '../../output.ts'

const max = 100_000

export function addClientsList(parent: Command, output: Output): void {
  parent
    .command('list')
    .description('list OAuth clients, newest first')
    .option('--account <id>', 'only those of this account', idOption('--account'))
    .action(async ({ account }: { readonly account?: number }) => {
      const clients = await withExistingInstallation(({ database }) =>
        listClients(database.db, { accountId: account, limit: max }),
      )
      const rows = clients.map(({ id, accountId, name, scope, secretHash, approvedAt }) => [
        id,
        String(accountId),
        secretHash === null ? 'public' : 'confidential',
        approvedAt === null ? 'no' : 'yes',
        scope,
        name,
      ])
      output.answer({
        document: {
          clients: clients.map((client) => ({
            clientId: client.id,
            acctID: client.accountId,
            name: client.name,
            scope: client.scope,
            isPublic: client.secretHash === null,
            isApproved: client.approvedAt !== null,
            redirectUris: JSON.parse(client.redirectUris) as unknown,
            createdAt: rfc3339(client.createdAt),
          })),
        },
        lines: [
          ...(rows.length > 0
            ? table([['CLIENT ID', 'ACCTID', 'KIND', 'APPROVED', 'SCOPE', 'NAME'], ...rows])
            : []),
          counted(rows.length, 'client'),
        ],
      })
    })
}
