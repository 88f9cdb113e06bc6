// waymark clients create: registers an OAuth client and shows its secret once.
import type { Command } from 'commander'
import { byCommand } from '../../../src/accounts/audit/audit.ts'
import { registerClient } from '../../../src/auth/oauth/oauth-clients.ts'
import { scopes } from '../../../src/auth/scopes.ts'
import { withWritableInstallation } from '../../installation.ts'
import { idOption, labelOption, repeatedOption } from '../../options.ts'
import type { Output } from '../../output.ts'

interface Options {
  readonly account: number
  readonly name: string
  readonly scope: string
  readonly public?: boolean
  readonly redirectUri?: readonly string[]
}

const kinds = `
Without --public the client has a secret, and its tokens act as the account (client credentials).
With --public it has none: it is an application in a browser, on a phone or in a terminal.
With --redirect-uri users sign in with it (authorization code with PKCE); a public client also by device code.`

export function addClientsCreate(parent: Command, output: Output): void {
  parent
    .command('create')
    .description('register an OAuth client and show its secret once')
    .requiredOption('--account <id>', 'the acctID of its owner', idOption('--account'))
    .requiredOption('--name <label>', 'name, as users see it', labelOption('--name'))
    .requiredOption('--scope <scopes>', `scopes it may request, of: ${scopes.join(' ')}`)
    .option('--public', 'a public client, without a secret')
    .option('--redirect-uri <uri>', 'redirect URI; may be repeated', repeatedOption)
    .addHelpText('after', kinds)
    .action(async ({ account, name, scope, public: isPublic = false, redirectUri = [] }: Options) => {
      const client = await withWritableInstallation(({ database, system }) =>
        registerClient(database.db, {
          accountId: account,
          name,
          scope,
          isPublic,
          redirectUris: redirectUri,
          now: system.now(),
          by: byCommand,
        }),
      )
      const { clientId, clientSecret } = client
      const secretLines =
        clientSecret === undefined
          ? []
          : [`clientSecret ${clientSecret}`, '', 'Store the secret now: it cannot be shown again.']
      output.answer({
        document: client,
        lines: [
          `Registered ${isPublic ? 'a public' : 'an'} OAuth client of account ${account}:`,
          '',
          `clientId     ${clientId}`,
          ...secretLines,
        ],
      })
    })
}
