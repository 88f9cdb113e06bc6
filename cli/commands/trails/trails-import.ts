// waymark trails import: adds and updates the trails of a file, all or none, or shows what would change.
import type { Command } from 'commander'
import { byCommand } from '../../../src/accounts/audit/audit.ts'
import { inOrderOfFile } from '../../../src/trails/trail-checks.ts'
import { createTrails, type ImportPlan } from '../../../src/trails/trails.ts'
import { importDocument } from '../../../src/trails/v2-present.ts'
import { exitCodes } from '../../failures.ts'
import { withExistingInstallation, withWritableInstallation } from '../../installation.ts'
import { counted, type Answer, type Output } from '../../output.ts'
import { examineTrailFile, readTrailFile } from '../../trail-file.ts'

const forms = `
FILE.csv: UTF-8 with the header trailID,name,slug in any order; the column slug is optional, and other columns are
ignored. FILE.geojson: a FeatureCollection, OpenTrails or plain, with the properties trailID or id, name and,
optionally, slug; its LineStrings and MultiLineStrings become the lines of the trails. Existing trails get the name
and slug from the file, and the line if it has one; no trail is deleted.`

const amount = (count: number): string => count.toLocaleString('en')

/** How many changes are listed for people; --json lists all. */
const maxListed = 1_000

function* differences({ added, changed, problems }: ImportPlan): Generator<string, void> {
  for (const { id, name, slug } of added.slice(0, maxListed)) yield `+ ${id} "${name}", slug ${slug}`
  for (const { id, fields } of changed.slice(0, maxListed)) {
    yield `~ ${id}`
    for (const [field, value] of Object.entries(fields)) {
      if (typeof value === 'string') {
        yield field === 'geometry' ? '  ~ the line' : `  ~ the ${field}`
        continue
      }
      yield `  - ${field} "${value.from}"`
      yield `  + ${field} "${value.to}"`
    }
  }
  for (const list of [added, changed])
    if (list.length > maxListed) yield `… and ${list.length - maxListed} more.`
  for (const { place, detail } of problems.slice(0, maxListed))
    yield `PROBLEM  ${place === '' ? detail : `${place}: ${detail}`}`
  if (problems.length > maxListed) yield `… and ${problems.length - maxListed} more problems.`
}

function dryRunAnswer(file: string, plan: ImportPlan): Answer {
  const { added, changed, unchanged, problems } = plan
  const isGood = problems.length === 0
  const amounts = `${counted(added.length, 'new trail')}, ${amount(changed.length)} changed, ${amount(unchanged)} unchanged`
  return {
    exitCode: isGood ? exitCodes.ok : exitCodes.refused,
    document: importDocument(plan, { isApplied: false }),
    lines: [
      ...differences(plan),
      isGood
        ? `${file}: ${amounts}. Dry run: nothing was imported.`
        : `${file}: ${counted(problems.length, 'problem')}; fix them to import the file.`,
    ],
  }
}

async function dryRun(file: string): Promise<Answer> {
  const { trails, problems } = await examineTrailFile(file)
  const plan = await withExistingInstallation(({ database, system }) =>
    createTrails(database.db, () => system.now()).planAll(trails),
  )
  return dryRunAnswer(file, { ...plan, problems: inOrderOfFile([...problems, ...plan.problems]) })
}

export function addTrailsImport(parent: Command, output: Output): void {
  parent
    .command('import')
    .description('add and update trails from a .csv or .geojson file, all or none')
    .argument('<file>', 'a .csv or .geojson file')
    .option('--dry-run', 'change nothing; print what would change and every problem')
    .addHelpText('after', forms)
    .action(async (file: string, options: { readonly dryRun?: boolean }) => {
      if (options.dryRun === true) {
        output.answer(await dryRun(file))
        return
      }
      const trails = await readTrailFile(file)
      await withWritableInstallation(async ({ database, system }) => {
        await createTrails(database.db, () => system.now()).importAll(trails, byCommand)
      })
      output.answer({
        document: { trails: trails.length },
        lines: [`Imported ${counted(trails.length, 'trail')} from ${file}.`],
      })
    })
}
