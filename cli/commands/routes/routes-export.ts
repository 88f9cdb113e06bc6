// waymark routes export: writes your own routes as GPX files.
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Command } from 'commander'
import { fail, wrongUsage } from '../../failures.ts'
import { canonicalId } from '../../options.ts'
import { counted, type Output } from '../../output.ts'
import { urlOption, withServer, type RemoteOptions } from '../../remote/connection.ts'

interface Options extends RemoteOptions {
  readonly to: string
}

/**
 * The ID makes the name unique; the rest is for people, and safe on every file system.
 * @throws if the server sends an ID that is not one: as part of a path it could lead out of the folder.
 */
function fileNameOf(name: string, routeId: number): string {
  if (canonicalId(String(routeId)) === undefined)
    throw fail('refused', 'The server sent a route with an invalid ID.')
  const plain = name
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 60)
    .replaceAll(/^-|-$/g, '')
  return `${plain === '' ? 'route' : plain}-${routeId}.gpx`
}

function requireId(text: string): number {
  const id = canonicalId(text)
  if (id === undefined) throw wrongUsage(`'${text}' is not a routeID.`)
  return id
}

export function addRoutesExport(parent: Command, output: Output): void {
  parent
    .command('export')
    .description('export your routes as GPX files; all of them if none is given')
    .argument('[routeIDs...]', 'only these')
    .option('--to <folder>', 'output folder', '.')
    .option(...urlOption)
    .action(async (ids: string[], options: Options) => {
      const wanted = ids.map(requireId)
      const written = await withServer(options, async (waymark) => {
        const { acctID } = await waymark.me.get()
        await mkdir(options.to, { recursive: true })
        const done: { routeID: number; name: string; file: string }[] = []
        for await (const { routeID, name } of waymark.routes.each(acctID)) {
          if (wanted.length > 0 && !wanted.includes(routeID)) continue
          const file = path.join(options.to, fileNameOf(name, routeID))
          await writeFile(file, await waymark.routes.gpx(routeID))
          done.push({ routeID, name, file })
        }
        return done
      })
      const missing = wanted.filter((id) => !written.some(({ routeID }) => routeID === id))
      output.answer({
        document: { routes: written, missing },
        lines: [
          ...written.map(({ file }) => file),
          ...missing.map((id) => `${id}: you have no route with this ID.`),
          `${counted(written.length, 'route')} written.`,
        ],
        exitCode: missing.length > 0 ? 2 : 0,
      })
    })
}
