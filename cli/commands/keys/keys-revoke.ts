// waymark keys revoke: revokes an API key permanently, effective from the next request.
import type { Command } from 'commander'
import { byCommand } from '../../../src/accounts/audit/audit.ts'
import { createApiKeys } from '../../../src/auth/api-keys.ts'
import { fail } from '../../failures.ts'
import { withExistingInstallation } from '../../installation.ts'
import type { Output } from '../../output.ts'

export function addKeysRevoke(parent: Command, output: Output): void {
  parent
    .command('revoke')
    .description('revoke an API key immediately')
    .argument('<prefix>', 'its prefix, as shown by "waymark keys list"')
    .action(async (prefix: string) => {
      const isRevoked = await withExistingInstallation(({ database, system }) =>
        createApiKeys(database.db, () => system.now()).revoke(prefix, byCommand),
      )
      if (!isRevoked) throw fail('unknown-key', `There is no active key with the prefix ${prefix}.`)
      output.answer({ document: { prefix, revoked: true }, lines: [`Revoked the API key ${prefix}….`] })
    })
}
