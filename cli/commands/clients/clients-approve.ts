// waymark clients approve: approves the redirect URIs of an OAuth client, or withdraws the approval.
import type { Command } from 'commander'
import { byCommand } from '../../../src/accounts/audit/audit.ts'
import { changeClient } from '../../../src/auth/oauth/oauth-clients.ts'
import { withWritableInstallation } from '../../installation.ts'
import type { Output } from '../../output.ts'

const meaning = `
After a failed sign-in, users are redirected back to an approved client even if they never granted it access; with other
clients they stay on this site. Clients that you register are approved. Clients that members register are not, until you
or an admin approves them. Adding a redirect URI ends the approval.`

export function addClientsApprove(parent: Command, output: Output): void {
  parent
    .command('approve')
    .description('approve the redirect URIs of an OAuth client')
    .argument('<clientId>', 'as shown by "waymark clients list"')
    .option('--withdraw', 'withdraw the approval')
    .addHelpText('after', meaning)
    .action(async (clientId: string, { withdraw = false }: { readonly withdraw?: boolean }) => {
      const isApproved = !withdraw
      await withWritableInstallation(({ database, system }) =>
        changeClient(
          database.db,
          clientId,
          { isApproved },
          { by: byCommand, now: system.now(), mayApprove: true },
        ),
      )
      output.answer({
        document: { clientId, isApproved },
        lines: [isApproved ? `Approved the client ${clientId}.` : `Withdrew the approval of ${clientId}.`],
      })
    })
}
