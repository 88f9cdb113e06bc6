// waymark routes import: makes a private route of each GPX file.
import { openAsBlob } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import type { Output } from '../output.ts'
import { counted } from '../output.ts'
import { fail } from '../failures.ts'
import { urlOption, withServer, type RemoteOptions } from '../remote/connection.ts'

interface Imported {
  readonly file: string
  readonly routeID?: number
  readonly name?: string
  readonly reason?: string
}

export function addRoutesImport(parent: Command, output: Output): void {
  parent
    .command('import')
    .description('make a private route of each GPX file')
    .argument('<files...>', 'GPX files')
    .option(...urlOption)
    .action(async (files: string[], options: RemoteOptions) => {
      const imported = await withServer(options, async (waymark) => {
        const { acctID } = await waymark.me.get()
        const done: Imported[] = []
        // One at a time: a file that is refused says so for itself, and a large one is sent once.
        for (const file of files) {
          const blob = await openAsBlob(file).catch(() => {
            throw fail('wrong-file', `${file} cannot be read.`)
          })
          const sent = new File([blob], path.basename(file), { type: 'application/gpx+xml' })
          const { results } = await waymark.routes.import(acctID, [sent])
          for (const { routeID, name, problem } of results)
            done.push({
              file,
              ...(routeID !== undefined && { routeID }),
              ...(name !== undefined && { name }),
              ...(problem && { reason: problem.detail }),
            })
        }
        return done
      })
      const refused = imported.filter(({ routeID }) => routeID === undefined)
      output.answer({
        document: { routes: imported },
        lines: [
          ...imported.map(({ file, routeID, name, reason }) =>
            routeID === undefined
              ? `${file}: refused. ${reason ?? ''}`
              : `${file}: route ${routeID}, ${name ?? ''}`,
          ),
          `${counted(imported.length - refused.length, 'route')} made, ${refused.length} refused.`,
        ],
        exitCode: refused.length > 0 ? 2 : 0,
      })
    })
}
