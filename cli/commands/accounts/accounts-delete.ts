// waymark accounts delete: deletes an account permanently and reports what was deleted.
import type { Command } from 'commander'
import { byCommand } from '../../../src/accounts/audit/audit.ts'
import { photosFates } from '../../../src/shared/v2/leaving-schemas.ts'
import { createDeletion, type PhotosFate } from '../../../src/account-data/deletion.ts'
import { createMailer } from '../../../src/mail/mailer.ts'
import { readSiteName } from '../../../src/site-settings/branding/chosen.ts'
import { withExistingWritable } from '../../installation.ts'
import { idOption, wordOption } from '../../options.ts'
import { counted, sized, type Output } from '../../output.ts'

export function addAccountsDelete(parent: Command, output: Output): void {
  parent
    .command('delete')
    .description(
      'permanently delete an account with its credentials, routes and zones, and optionally its photos',
    )
    .argument('<acctID>', 'its acctID', idOption('acctID'))
    .requiredOption(
      '--photos <fate>',
      'delete, or keep: published photos stay, credited to a former member',
      wordOption('--photos', photosFates),
    )
    .action(async (accountId: number, { photos }: { readonly photos: PhotosFate }) => {
      const report = await withExistingWritable(async ({ config, database, blobs, system }) => {
        const { smtpUrl, mailFrom, siteName } = config
        const mailer =
          smtpUrl === undefined
            ? undefined
            : createMailer({
                smtpUrl,
                from: mailFrom,
                siteName: () => readSiteName(database.db, siteName),
                onFailure: () => output.remark('The email to the previous address could not be sent.'),
              })
        try {
          const now = () => system.now()
          const deletion = createDeletion({ db: database.db, blobs, now, sendMail: mailer?.send })
          return await deletion.leave(accountId, photos, byCommand)
        } finally {
          await mailer?.close()
        }
      })
      const { photosDeleted, photosKept, contentsRemoved, bytesRemoved, contentsLeft } = report
      output.answer({
        document: report,
        lines: [
          `Deleted account ${accountId} with ${counted(photosDeleted, 'photo')} and ${counted(report.routesDeleted, 'route')}.`,
          `Removed ${counted(contentsRemoved, 'file')} in all sizes: ${sized(bytesRemoved)}.`,
          ...(photosKept > 0
            ? [`Still published, credited to a former member: ${counted(photosKept, 'photo')}.`]
            : []),
          ...(contentsLeft > 0
            ? [`To be removed by the server within a day: ${counted(contentsLeft, 'file')}.`]
            : []),
          'Earlier backups still contain the account.',
        ],
      })
    })
}
