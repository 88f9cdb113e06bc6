// waymark clients approve: vouches for the redirect addresses of an OAuth client, or no longer does.
import type { Command } from 'commander'
import { byCommand } from '../../../src/accounts/audit/audit.ts'
import { changeClient } from '../../../src/auth/oauth/oauth-clients.ts'
import { withWritableInstallation } from '../../installation.ts'
import type { Output } from '../../output.ts'

const meaning = `
A failed sign-in sends people back to an approved client even if they have never allowed it anything; of any other
client they get a page of this site instead. What you register is approved. What members register is not, until you or
an admin approves it. An address that a member adds later ends the approval.`

export function addClientsApprove(parent: Command, output: Output): void {
  parent
    .command('approve')
    .description('approve the redirect addresses of an OAuth client')
    .argument('<clientId>', 'as "waymark clients list" shows it')
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
