// waymark accounts link: links an identity of a trusted issuer to an account.
import type { Command } from 'commander'
import { byCommand } from '../../../src/accounts/audit/audit.ts'
import { createExternalIdentities } from '../../../src/auth/issuers/external-identities.ts'
import { withExistingWritable } from '../../installation.ts'
import { idOption, issuerOption } from '../../options.ts'
import type { Output } from '../../output.ts'

interface Options {
  readonly account: number
  readonly issuer: string
  readonly subject: string
}

export function addAccountsLink(parent: Command, output: Output): void {
  parent
    .command('link')
    .description('link an account to a user of a trusted issuer')
    .requiredOption('--account <id>', 'its acctID', idOption('--account'))
    .requiredOption('--issuer <url>', 'the issuer, exactly as in TRUSTED_ISSUERS', issuerOption)
    .requiredOption('--subject <sub>', 'the subject (sub) in the tokens of the issuer')
    .action(async ({ account, issuer, subject }: Options) => {
      const isTrusted = await withExistingWritable(async ({ config, database, system }) => {
        const identities = createExternalIdentities({ db: database.db, system })
        await identities.link(byCommand, { issuer, subject }, account)
        return config.trustedIssuers.some((entry) => entry.issuer === issuer)
      })
      const hint = `TRUSTED_ISSUERS does not contain ${issuer}: the link takes effect once it does, written exactly the same.`
      if (!isTrusted) output.remark(hint)
      output.answer({
        document: { acctID: account, issuer, subject },
        lines: [`Linked account ${account} to ${subject} of ${issuer}.`],
      })
    })
}
