// waymark accounts takeout: exports all data of an account as a zip for its owner.
import type { Command } from 'commander'
import { unpackUtf8 } from '../../../src/account-routes/gpx/packed.ts'
import { requireFreeName, writeDurably } from '../../../src/operations/backup/backup-file.ts'
import { createDataExport } from '../../../src/account-data/data-export.ts'
import { refuse } from '../../../src/errors.ts'
import { exitCodes } from '../../failures.ts'
import { withExistingInstallation } from '../../installation.ts'
import { stoppable } from '../../long-work.ts'
import { idOption } from '../../options.ts'
import { counted, sized, type Output } from '../../output.ts'

export function addAccountsTakeout(parent: Command, output: Output): void {
  parent
    .command('takeout')
    .description('write a data export of an account to a zip file, for its owner')
    .argument('<acctID>', 'its acctID', idOption('acctID'))
    .argument('<file>', 'file to write, such as ann.zip')
    .option('--force', 'overwrite an existing file')
    .action(async (accountId: number, file: string, { force }: { readonly force?: boolean }) => {
      await requireFreeName(file, force === true)
      const report = await withExistingInstallation(async ({ database, blobs, system }) => {
        const { db } = database
        const dataExport = createDataExport({ db, blobs, now: () => system.now(), unpackGpx: unpackUtf8 })
        if (!(await dataExport.isThere(accountId))) throw refuse('invalid-account-id')
        return stoppable('The export was cancelled; the incomplete file was removed.', (signal) =>
          writeDurably(file, (sink) => dataExport.write(accountId, { sink, signal })),
        )
      })
      const { photos, routes, missing, bytes } = report
      output.answer({
        document: { acctID: accountId, file, photos, routes, missing, bytes },
        exitCode: missing > 0 ? exitCodes.refused : exitCodes.ok,
        lines: [
          `Wrote ${counted(photos, 'photo')} and ${counted(routes, 'route')} of account ${accountId} to ${file}: ${sized(bytes)}.`,
          ...(missing > 0
            ? [`${counted(missing, 'file')} could not be read; see MISSING.txt in the zip.`]
            : []),
        ],
      })
    })
}
