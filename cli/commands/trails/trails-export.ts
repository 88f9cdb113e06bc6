// waymark trails export: writes all trails to one file, CSV or GeoJSON, which can be imported again.
import { open, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { exportChunks, type ExportFormat } from '../../../src/trails/trail-exports.ts'
import { fail, isSystemError, systemSentence, wrongUsage } from '../../failures.ts'
import { withExistingInstallation } from '../../installation.ts'
import { sized, type Output } from '../../output.ts'
import { wordOption } from '../../options.ts'

interface Options {
  readonly format?: ExportFormat
}

const formats: Readonly<Record<string, ExportFormat>> = {
  '.csv': 'csv',
  '.geojson': 'geojson',
  '.json': 'geojson',
}

/** @throws a failure of wrong usage. */
function formatOf(file: string, { format }: Options): ExportFormat {
  const found = format ?? (file === '-' ? 'csv' : formats[path.extname(file).toLowerCase()])
  if (found === undefined) throw wrongUsage(`${file} must end in .csv or .geojson, or use --format.`)
  return found
}

/** Replaces the file once the new one is complete. @returns its length in bytes. */
async function writeWhole(file: string, chunks: AsyncIterable<string>): Promise<number> {
  const there = await stat(file).catch(() => undefined)
  // A device such as /dev/stdout would be replaced by a file.
  if (there && !there.isFile()) throw fail('wrong-file', `${file} is not a regular file; use - for stdout.`)
  const unfinished = `${file}.part`
  try {
    const handle = await open(unfinished, 'w')
    let bytes = 0
    try {
      for await (const chunk of chunks) {
        await handle.appendFile(chunk) // not `write`, which may write less when the disk fills up
        bytes += Buffer.byteLength(chunk)
      }
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(unfinished, file)
    return bytes
  } catch (error) {
    await rm(unfinished, { force: true })
    throw isSystemError(error) ? fail('wrong-file', systemSentence(error)) : error
  }
}

/** A reader that exits early, such as `head`, has what it wanted. */
async function writeOut(chunks: AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(Readable.from(chunks), process.stdout, { end: false })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error
  }
}

export function addTrailsExport(parent: Command, output: Output): void {
  parent
    .command('export')
    .description('write all trails to a .csv or .geojson file, or to stdout')
    .argument('<file>', 'a .csv or .geojson file; - for stdout')
    .option(
      '--format <format>',
      'csv or geojson; by default from the file name, or csv for stdout',
      formatOption,
    )
    .action(async (file: string, options: Options, command: Command) => {
      const format = formatOf(file, options)
      if (file === '-' && command.optsWithGlobals<{ json?: boolean }>().json === true)
        throw wrongUsage('--json and the export cannot both go to stdout: use a file.')
      await withExistingInstallation(async ({ database }) => {
        const chunks = exportChunks(database.db, format)
        if (file === '-') return writeOut(chunks)
        const bytes = await writeWhole(file, chunks)
        output.answer({
          document: { file, format, bytes },
          lines: [`Wrote the trails to ${file}: ${sized(bytes)}.`],
        })
      })
    })
}

const formatOption = wordOption('--format', ['csv', 'geojson'])
