// waymark secret forget: for a secret that is lost permanently. Deletes what only that secret can decrypt, so that
// the next start creates a new one.
import type { Command } from 'commander'
import { byCommand, recordAudit } from '../../../src/accounts/audit/audit.ts'
import { findSecretFault } from '../../../src/operations/backup/secret-file.ts'
import { forgetSecret, needsSecret } from '../../../src/auth/oauth/signing-keys.ts'
import { lockForServing } from '../../../src/installation.ts'
import { fail } from '../../failures.ts'
import { readSettings, withExistingWritable } from '../../installation.ts'
import type { Output } from '../../output.ts'

export function addSecretForget(parent: Command, output: Output): void {
  parent
    .command('forget')
    .description('delete what a lost secret encrypts, so that the next start creates a new secret')
    .action(async () => {
      const lock = await lockForServing(readSettings())
      try {
        const wasNeeded = await withExistingWritable(async ({ config, database, system }) => {
          await database.requireNobodyServing?.()
          if (!(await needsSecret(database.db))) return false
          if ((await findSecretFault(database.db, config.secretFile)) === undefined)
            throw fail(
              'refused',
              `SECRET_FILE ${config.secretFile} is the secret of this installation, so there is nothing to forget.`,
            )
          await database.db.transaction().execute(async (tx) => {
            await forgetSecret(tx)
            const detail = { secret: 'forgotten' }
            await recordAudit(tx, {
              at: system.now(),
              by: byCommand,
              action: 'setting.changed',
              accountId: null,
              detail,
            })
          })
          return true
        })
        output.answer({
          document: { forgotten: wasNeeded },
          lines: [
            wasNeeded
              ? 'The secret is forgotten: the next start uses the one at SECRET_FILE, or creates it. All users must sign in again.'
              : 'No server has used a secret with this database yet.',
          ],
        })
      } finally {
        lock.release()
      }
    })
}
