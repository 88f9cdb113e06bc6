// waymark read-only on|off|status: blocks all changes during a move, a repair or an upgrade.
import type { Command } from 'commander'
import { byCommand, recordAudit } from '../../src/accounts/audit/audit.ts'
import type { Tx } from '../../src/database/database.ts'
import { endDeparture } from '../../src/database/departure.ts'
import { findReadOnly, switchReadOnlyOff, switchReadOnlyOn } from '../../src/database/read-only.ts'
import { withExistingInstallation } from '../installation.ts'
import { formatTimestamp, rfc3339, type Output } from '../output.ts'

const recordSwitch = (tx: Tx, at: number, detail: Record<string, unknown>): Promise<void> =>
  recordAudit(tx, { at, by: byCommand, action: 'setting.changed', accountId: null, detail })

export function addReadOnly(parent: Command, output: Output): void {
  const group = parent.command('read-only').description('Turn read-only mode on or off.')

  group
    .command('on')
    .description('refuse all changes; reading still works')
    .option('--reason <text>', 'one sentence to show to clients')
    .action(async ({ reason = '' }: { readonly reason?: string }) => {
      await withExistingInstallation(({ database, system }) =>
        database.db.transaction().execute(async (tx) => {
          await switchReadOnlyOn(tx, system.now(), reason)
          await recordSwitch(tx, system.now(), { readOnly: true, reason })
        }),
      )
      output.answer({
        document: { readOnly: true },
        lines: [`The installation is now read-only; turn it off with ${output.quoted('read-only off')}.`],
      })
    })

  group
    .command('off')
    .description('allow changes again')
    .action(async () => {
      const wasOn = await withExistingInstallation(async ({ database, system }) => {
        await endDeparture(database) // of a killed migration that will not be continued
        return database.db.transaction().execute(async (tx) => {
          if (!(await switchReadOnlyOff(tx))) return false
          await recordSwitch(tx, system.now(), { readOnly: false })
          return true
        })
      })
      const line = wasOn ? 'The installation is writable again.' : 'The installation was not read-only.'
      output.answer({ document: { readOnly: false }, lines: [line] })
    })

  group
    .command('status')
    .description('show whether the installation is read-only')
    .action(async () => {
      const found = await withExistingInstallation(({ database }) => findReadOnly(database.db))
      const line = found
        ? `Read-only since ${formatTimestamp(found.since)}${found.reason === '' ? '.' : `: ${found.reason}`}`
        : 'Not read-only.'
      const document = found
        ? { readOnly: true, since: rfc3339(found.since), reason: found.reason }
        : { readOnly: false }
      output.answer({ document, lines: [line] })
    })
}
