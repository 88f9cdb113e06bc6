// waymark backup: writes the whole installation to one file, whether or not a server is running.
import type { Command } from 'commander'
import packageFile from '../../package.json' with { type: 'json' }
import { requireFreeName, writeDurably } from '../../src/operations/backup/backup-file.ts'
import { createBackup, type BackupOptions, type BackupReport } from '../../src/operations/backup/backup.ts'
import { namingFile } from '../../src/operations/backup/failures.ts'
import type { Sink } from '../../src/storage/zip/zip-writer.ts'
import type { Config } from '../../src/settings/config.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { realSystem } from '../../src/system.ts'
import { exitCodes, wrongUsage } from '../failures.ts'
import { openPhotos, readSettings, requireDatabase } from '../installation.ts'
import { createProgressLine, stoppable } from '../long-work.ts'
import { counted, sized, type Answer, type Output } from '../output.ts'

interface Options {
  readonly force?: boolean
  readonly withoutSecret?: boolean
}

/** If everything is lost, only this many are listed. */
const maxListed = 1_000

function answerOf(file: string, report: BackupReport, seconds: number, wantsSecret: boolean): Answer {
  const { manifest, bytes, forgottenRenditions, problems } = report
  const { createdAt, schema, images, contents, blobs, blobBytes, hasSecret, secret } = manifest
  const isGood = problems.length === 0
  const listed = problems.slice(0, maxListed)
  const unlisted = problems.length - listed.length
  const amount = `${counted(images, 'image')} in ${counted(contents, 'file')}`
  return {
    exitCode: isGood ? exitCodes.ok : exitCodes.refused,
    document: {
      ok: isGood,
      file,
      bytes,
      createdAt,
      schema,
      images,
      contents,
      blobs,
      blobBytes,
      forgottenRenditions,
      hasSecret,
      secret,
      problems: listed,
      ...(unlisted > 0 && { unlisted }),
      seconds,
    },
    lines: [
      ...listed.map(({ sha256, detail }) => `PROBLEM  ${detail} (${sha256})`),
      ...(unlisted > 0 ? [`… and ${unlisted} more.`] : []),
      `Backed up ${amount} to ${file}: ${sized(bytes)} in ${seconds.toFixed(1)} s.`,
      ...(forgottenRenditions > 0
        ? [
            `Left out ${counted(forgottenRenditions, 'damaged rendition')}, which will be regenerated after a restore.`,
          ]
        : []),
      ...(hasSecret ? ['The backup contains the secret: store the file where only you can read it.'] : []),
      ...(secret === 'none'
        ? ['The backup contains no secret: no server has been started on this installation yet.']
        : []),
      ...(wantsSecret || secret === 'none'
        ? []
        : [
            'The backup does not contain the secret: store SECRET_FILE separately, or the backup cannot be used.',
          ]),
      ...(isGood ? [] : ['The backup is incomplete: see the problems above.']),
    ],
  }
}

/**
 * Opens the existing installation without creating or migrating it: a server of another version may be running on it.
 */
async function backUp(
  config: Config,
  options: Pick<BackupOptions, 'sink' | 'signal' | 'withSecret'>,
): Promise<BackupReport> {
  const database = await openDatabase(config.databasePlace)
  const progress = createProgressLine(process.stderr)
  await using opened = new AsyncDisposableStack()
  try {
    const blobs = opened.adopt(await openPhotos(config), (each) => each.close())
    const now = () => realSystem.now()
    const backup = createBackup({ config, database, blobs, now, version: packageFile.version })
    return await backup.run({ ...options, onProgress: progress.draw })
  } finally {
    progress.clear()
    await database.close()
  }
}

/** Pipes the backup to another program, such as an encryption tool; messages then go to stderr. */
async function writeToStdout<T>(work: (sink: Sink) => Promise<T>): Promise<T> {
  const { stdout } = process
  if (stdout.isTTY)
    throw wrongUsage(
      'With - the backup goes to stdout: give a file name, or pipe the output to another command.',
    )
  stdout.on('error', () => undefined) // each write reports its own error
  const write = (bytes: Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      stdout.write(bytes, (error) => (error ? reject(error) : resolve()))
    })
  return work((bytes) => namingFile('stdout', () => write(bytes)))
}

export function addBackup(parent: Command, output: Output): void {
  parent
    .command('backup')
    .description(
      'write the database, photos and secret to one zip file, whether or not the server is running',
    )
    .argument('<file>', 'file to write, such as waymark.zip; - for stdout')
    .option('--force', 'overwrite an existing file')
    .option('--without-secret', 'leave out the secret; a restore then requires it at SECRET_FILE')
    .action(async (file: string, { force, withoutSecret }: Options) => {
      const config = readSettings()
      requireDatabase(config)
      const isToStdout = file === '-'
      if (isToStdout && parent.opts<{ json?: boolean }>().json === true) {
        throw wrongUsage('With - the backup itself goes to stdout, so --json cannot be used.')
      }
      if (!isToStdout) await requireFreeName(file, force === true)
      const begun = performance.now()
      const withSecret = withoutSecret !== true
      const report = await stoppable(
        'The backup was cancelled; the incomplete file was removed.',
        (signal) => {
          const write = (sink: Sink) => backUp(config, { sink, signal, withSecret })
          return isToStdout ? writeToStdout(write) : writeDurably(file, write)
        },
      )
      const seconds = Math.round(performance.now() - begun) / 1_000
      const answer = answerOf(isToStdout ? 'stdout' : file, report, seconds, withSecret)
      if (!isToStdout) return output.answer(answer)
      process.exitCode = answer.exitCode ?? exitCodes.ok
      for (const line of answer.lines) output.remark(line)
    })
}
