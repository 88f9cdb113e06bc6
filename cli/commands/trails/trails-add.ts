// waymark trails add: adds a trail, or updates the name and slug of an existing one.
import type { Command } from 'commander'
import { byCommand } from '../../../src/accounts/audit/audit.ts'
import { createTrails } from '../../../src/trails/trails.ts'
import { withWritableInstallation } from '../../installation.ts'
import { idOption } from '../../options.ts'
import type { Output } from '../../output.ts'

interface Options {
  readonly id: number
  readonly name: string
  readonly slug?: string
  readonly description?: string
}

export function addTrailsAdd(parent: Command, output: Output): void {
  parent
    .command('add')
    .description('add a trail, or rename the trail with this ID')
    .requiredOption('--id <id>', 'its trailID', idOption('--id'))
    .requiredOption('--name <name>', 'its name')
    .option('--slug <slug>', 'its slug in URLs; by default derived from the name')
    .option('--description <text>', 'the text of its page, as CommonMark; unchanged if left out')
    .action(async ({ id, name, slug, description }: Options) => {
      const trail = await withWritableInstallation(async ({ database, system }) => {
        const trails = createTrails(database.db, () => system.now())
        await trails.importAll([{ id, name, slug, description }], byCommand)
        return trails.require(id)
      })
      output.answer({
        document: { trails: 1 },
        lines: [`Trail ${trail.id} is "${trail.name}", with the slug ${trail.slug}.`],
      })
    })
}
