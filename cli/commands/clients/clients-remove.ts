// waymark clients remove: removes an OAuth client and immediately revokes everything issued to it.
import type { Command } from 'commander'
import { byCommand } from '../../../src/accounts/audit/audit.ts'
import { removeClient } from '../../../src/auth/oauth/oauth-clients.ts'
import { withExistingInstallation } from '../../installation.ts'
import type { Output } from '../../output.ts'

export function addClientsRemove(parent: Command, output: Output): void {
  parent
    .command('remove')
    .description('remove an OAuth client and revoke its tokens')
    .argument('<clientId>', 'as shown by "waymark clients list"')
    .action(async (clientId: string) => {
      await withExistingInstallation(({ database, system }) =>
        removeClient(database.db, clientId, { by: byCommand, now: system.now() }),
      )
      output.answer({ document: { clientId, removed: true }, lines: [`Removed the client ${clientId}.`] })
    })
}
