// waymark trails import: adds or renames the trails of a file, all of them or none.
import type { Command } from 'commander'
import { createTrails } from '../../src/trails/trails.ts'
import { withWritableInstallation } from '../installation.ts'
import { counted, type Output } from '../output.ts'
import { readTrailFile } from '../trail-file.ts'

const forms = `
FILE.csv: UTF-8 with the header trailID,name,slug in any order; the column slug may be missing, others are
ignored. FILE.geojson: a FeatureCollection, OpenTrails or plain, whose properties hold trailID or id, name and,
if you like, slug. A trail that exists gets the name and slug of the file.`

export function addTrailsImport(parent: Command, output: Output): void {
  parent
    .command('import')
    .description('add or rename the trails of a .csv or .geojson file, all or none')
    .argument('<file>', 'a .csv or .geojson file')
    .addHelpText('after', forms)
    .action(async (file: string) => {
      const trails = await readTrailFile(file)
      await withWritableInstallation(async ({ database, system }) => {
        await createTrails(database.db, () => system.now()).importAll(trails)
      })
      output.answer({
        document: { trails: trails.length },
        lines: [`Imported ${counted(trails.length, 'trail')} from ${file}.`],
      })
    })
}
