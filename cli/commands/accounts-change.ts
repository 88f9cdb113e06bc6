// waymark accounts change: gives an account another role, limits a reviewer to trails, suspends and restores.
import type { Command } from 'commander'
import { createAdministration } from '../../src/admin/administration.ts'
import { byCommand } from '../../src/audit/audit.ts'
import { createSessions } from '../../src/auth/sessions.ts'
import type { Role } from '../../src/database/schema.ts'
import { wrongUsage } from '../failures.ts'
import { withExistingWritable } from '../installation.ts'
import { canonicalId, idOption, wordOption } from '../options.ts'
import type { Output } from '../output.ts'

interface Options {
  readonly account: number
  readonly role?: Role
  readonly trails?: readonly number[]
  readonly suspend?: boolean
  readonly restore?: boolean
}

/** Ids separated by commas, or "all". */
function trailsOption(text: string): number[] {
  if (text === 'all') return []
  return text.split(',').map((word) => {
    const id = canonicalId(word.trim())
    if (id === undefined) throw wrongUsage('--trails must be trail ids separated by commas, or all.')
    return id
  })
}

export function addAccountsChange(parent: Command, output: Output): void {
  parent
    .command('change')
    .description('change the role of an account, the trails of a reviewer, or suspend it')
    .requiredOption('--account <id>', 'its acctID', idOption('--account'))
    .option(
      '--role <role>',
      'member, reviewer or admin',
      wordOption('--role', ['member', 'reviewer', 'admin']),
    )
    .option('--trails <ids>', 'the trails a reviewer is limited to, or all', trailsOption)
    .option('--suspend', 'end its sessions and tokens, and let nobody in')
    .option('--restore', 'undo a suspension')
    .action(async ({ account, role, trails, suspend, restore }: Options) => {
      if (suspend === true && restore === true)
        throw wrongUsage('--suspend and --restore exclude each other.')
      const suspended = suspend === true ? true : restore === true ? false : undefined
      if (role === undefined && trails === undefined && suspended === undefined)
        throw wrongUsage('Say what to change: --role, --trails, --suspend or --restore.')
      const changed = await withExistingWritable(async ({ config, database, system }) => {
        const { db } = database
        const now = () => system.now()
        const sessions = createSessions({ db, now, publicUrl: config.publicUrl })
        const administration = createAdministration({ db, now, sessions })
        await administration.change(account, { role, trails, suspended }, byCommand)
        return administration.require(account)
      })
      const isSuspended = changed.suspendedAt !== null
      const limit = changed.trails.length === 0 ? '' : ` of the trails ${changed.trails.join(', ')}`
      output.answer({
        document: { acctID: account, role: changed.role, trails: changed.trails, suspended: isSuspended },
        lines: [`Account ${account} is ${changed.role}${limit}${isSuspended ? ', and suspended' : ''}.`],
      })
    })
}
