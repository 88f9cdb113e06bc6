// waymark audit: shows who changed which credential, role or setting.
import type { Command } from 'commander'
import { listAudit } from '../../src/accounts/audit/audit.ts'
import { withExistingInstallation } from '../installation.ts'
import { canonicalId, idOption } from '../options.ts'
import { wrongUsage } from '../failures.ts'
import { counted, formatTimestamp, rfc3339, table, type Output } from '../output.ts'

interface Options {
  readonly account?: number
  readonly last: number
}

function countOption(text: string): number {
  const count = canonicalId(text)
  if (count === undefined) throw wrongUsage('--last must be a whole number above 0.')
  return count
}

export function addAudit(program: Command, output: Output): void {
  program
    .command('audit')
    .description('list changes to credentials, roles and settings, newest first')
    .option('--account <id>', 'only changes to this account', idOption('--account'))
    .option('--last <n>', 'how many', countOption, 50)
    .action(async ({ account, last }: Options) => {
      const rows = await withExistingInstallation(({ database }) =>
        listAudit(database.db, { accountId: account, before: undefined, limit: last }),
      )
      output.answer({
        document: {
          entries: rows.map(({ at, actorId, accountId, detail, ...row }) => ({
            ...row,
            at: rfc3339(at),
            actor: actorId,
            acctID: accountId,
            detail: JSON.parse(detail) as unknown,
          })),
        },
        lines: [
          ...(rows.length > 0
            ? table([
                ['WHEN', 'BY', 'WHAT', 'ACCTID', 'DETAIL'],
                ...rows.map(({ at, via, actorId, action, accountId, detail }) => [
                  formatTimestamp(at),
                  actorId === null ? via : `${actorId} (${via})`,
                  action,
                  accountId === null ? '' : String(accountId),
                  detail === '{}' ? '' : detail,
                ]),
              ])
            : []),
          counted(rows.length, 'entry', 'entries'),
        ],
      })
    })
}
