// waymark accounts unlink: unlinks an identity of a trusted issuer, effective from the next request.
import type { Command } from 'commander'
import { byCommand } from '../../../src/accounts/audit/audit.ts'
import { createExternalIdentities } from '../../../src/auth/issuers/external-identities.ts'
import { fail } from '../../failures.ts'
import { withExistingWritable } from '../../installation.ts'
import { issuerOption } from '../../options.ts'
import type { Output } from '../../output.ts'

interface Options {
  readonly issuer: string
  readonly subject: string
}

export function addAccountsUnlink(parent: Command, output: Output): void {
  parent
    .command('unlink')
    .description('unlink an account from a user of a trusted issuer')
    .requiredOption('--issuer <url>', 'the issuer, exactly as it was linked', issuerOption)
    .requiredOption('--subject <sub>', 'the subject (sub) in the tokens of the issuer')
    .action(async ({ issuer, subject }: Options) => {
      const acctID = await withExistingWritable(({ database, system }) =>
        createExternalIdentities({ db: database.db, system }).unlink(byCommand, { issuer, subject }),
      )
      if (acctID === undefined) throw fail('not-there', `No account is linked to ${subject} of ${issuer}.`)
      output.answer({
        document: { acctID, issuer, subject },
        lines: [`Unlinked account ${acctID} from ${subject} of ${issuer}.`],
      })
    })
}
