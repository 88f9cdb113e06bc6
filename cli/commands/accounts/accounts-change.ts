// waymark accounts change: changes the role, limits a reviewer to trails, suspends, restores, sets trust.
import type { Command } from 'commander'
import { createAdministration } from '../../../src/admin/administration.ts'
import { byCommand } from '../../../src/accounts/audit/audit.ts'
import { createSessions } from '../../../src/auth/sessions.ts'
import type { Role } from '../../../src/database/schema.ts'
import { wrongUsage } from '../../failures.ts'
import { withExistingWritable } from '../../installation.ts'
import { canonicalId, idOption, wordOption } from '../../options.ts'
import type { Output } from '../../output.ts'

interface Options {
  readonly account: number
  readonly role?: Role
  readonly trails?: readonly number[]
  readonly suspend?: boolean
  readonly restore?: boolean
  readonly trusted?: boolean
  readonly untrusted?: boolean
  readonly email?: string
}

/** The value of two mutually exclusive options. */
function eitherOr(yes: boolean | undefined, no: boolean | undefined, names: string): boolean | undefined {
  if (yes === true && no === true) throw wrongUsage(`${names} cannot be combined.`)
  if (yes === true) return true
  return no === true ? false : undefined
}

/** Ids separated by commas, or "all". */
function trailsOption(text: string): number[] {
  if (text === 'all') return []
  return text.split(',').map((word) => {
    const id = canonicalId(word.trim())
    if (id === undefined) throw wrongUsage('--trails must be comma-separated trail IDs, or all.')
    return id
  })
}

export function addAccountsChange(parent: Command, output: Output): void {
  parent
    .command('change')
    .description('change the role of an account or the trails of a reviewer; suspend or trust an account')
    .requiredOption('--account <id>', 'its acctID', idOption('--account'))
    .option(
      '--role <role>',
      'member, reviewer or admin',
      wordOption('--role', ['member', 'reviewer', 'admin']),
    )
    .option('--trails <ids>', 'the trails that a reviewer is limited to, or all', trailsOption)
    .option('--suspend', 'end its sessions and tokens, and block sign-in')
    .option('--restore', 'undo a suspension')
    .option('--trusted', 'publish its photos without review')
    .option('--untrusted', 'review its photos again')
    .option('--email <address>', 'the email address of an unclaimed account')
    .action(async ({ account, role, trails, suspend, restore, email, ...trust }: Options) => {
      const suspended = eitherOr(suspend, restore, '--suspend and --restore')
      const trusted = eitherOr(trust.trusted, trust.untrusted, '--trusted and --untrusted')
      if ([role, trails, suspended, trusted, email].every((change) => change === undefined)) {
        throw wrongUsage(
          'Nothing to change: use --role, --trails, --suspend, --restore, --trusted, --untrusted or --email.',
        )
      }
      const changed = await withExistingWritable(async ({ config, database, system }) => {
        const { db } = database
        const now = () => system.now()
        const sessions = createSessions({ db, now, publicUrl: config.publicUrl })
        const administration = createAdministration({ db, now, sessions })
        await administration.change(account, { role, trails, suspended, trusted, email }, byCommand)
        return administration.require(account)
      })
      const isSuspended = changed.suspendedAt !== null
      const limit = changed.trails.length === 0 ? '' : ` for the trails ${changed.trails.join(', ')}`
      const isTrusted = changed.trustedAt !== null
      const remarks = `${isTrusted ? ', trusted' : ''}${isSuspended ? ', and suspended' : ''}`
      output.answer({
        document: {
          acctID: account,
          role: changed.role,
          trails: changed.trails,
          suspended: isSuspended,
          trusted: isTrusted,
          ...(email !== undefined && { email: changed.email, unclaimed: changed.unclaimedAt !== null }),
        },
        lines: [
          `Account ${account} is ${changed.role}${limit}${remarks}.`,
          ...(email === undefined ? [] : [`Its email address is ${changed.email}.`]),
        ],
      })
    })
}
