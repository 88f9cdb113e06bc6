// waymark routes import: creates a private route from each GPX file.
import { openAsBlob } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { isWaymarkProblem, type Waymark } from '../../../client/client.ts'
import type { Output } from '../../output.ts'
import { counted } from '../../output.ts'
import { fail } from '../../failures.ts'
import { urlOption, withServer, type RemoteOptions } from '../../remote/connection.ts'

interface Imported {
  readonly file: string
  readonly routeID?: number
  readonly name?: string
  readonly reason?: string
}

async function openGpx(file: string): Promise<readonly [file: string, blob: Blob]> {
  const blob = await openAsBlob(file).catch(() => {
    throw fail('wrong-file', `${file} cannot be read.`)
  })
  return [file, blob]
}

/** Why this file was refused, for example for its size. @throws errors that all other files would meet, too. */
function reasonOf(error: unknown): string {
  if (!isWaymarkProblem(error) || error.status === 401 || error.status === 429 || error.status >= 500)
    throw error
  return error.detail ?? `${error.title}.`
}

const lineOf = ({ file, routeID, name, reason }: Imported): string =>
  routeID === undefined ? `${file}: refused. ${reason ?? ''}` : `${file}: route ${routeID}, ${name ?? ''}`

async function importOne(waymark: Waymark, acctID: number, file: string, blob: Blob): Promise<Imported[]> {
  const sent = new File([blob], path.basename(file), { type: 'application/gpx+xml' })
  try {
    const { results } = await waymark.routes.import(acctID, [sent])
    return results.map(({ routeID, name, problem }): Imported => {
      if (routeID === undefined) return { file, reason: problem?.detail ?? '' }
      return name === undefined ? { file, routeID } : { file, routeID, name }
    })
  } catch (error) {
    return [{ file, reason: reasonOf(error) }]
  }
}

export function addRoutesImport(parent: Command, output: Output): void {
  parent
    .command('import')
    .description('create a private route from each GPX file')
    .argument('<files...>', 'GPX files')
    .option(...urlOption)
    .action(async (files: string[], options: RemoteOptions) => {
      const imported = await withServer(options, async (waymark) => {
        const { acctID } = await waymark.me.get()
        const blobs = await Promise.all(files.map(openGpx)) // before any is sent, or it would be unclear which were
        const done: Imported[] = []
        try {
          // One at a time: each refusal names its file, and a large file is sent only once.
          for (const [file, blob] of blobs) done.push(...(await importOne(waymark, acctID, file, blob)))
        } catch (error) {
          for (const one of done) output.remark(lineOf(one)) // a retry would create the routes twice
          throw error
        }
        return done
      })
      const refused = imported.filter(({ routeID }) => routeID === undefined)
      output.answer({
        document: { routes: imported },
        lines: [
          ...imported.map(lineOf),
          `${counted(imported.length - refused.length, 'route')} created, ${refused.length} refused.`,
        ],
        exitCode: refused.length > 0 ? 2 : 0,
      })
    })
}
