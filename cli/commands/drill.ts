// waymark drill: tests whether a backup can be restored, without touching the installation.
import type { Command } from 'commander'
import { drill, type Drilled, type DrilledSecret } from '../drill.ts'
import { exitCodes } from '../failures.ts'
import { createProgressLine, stoppable } from '../long-work.ts'
import { counted, sized, type Answer, type Output } from '../output.ts'

const maxListed = 1_000

interface Options {
  readonly into?: string
  readonly toDatabase?: string
}

const secretLines: Readonly<Record<DrilledSecret, string>> = {
  included: 'The secret is in the backup and fits.',
  elsewhere: 'The secret is not in the backup; the one at SECRET_FILE fits.',
  missing: 'The secret is missing: without it, no server starts with this backup.',
  none: 'The backup needs no secret: no server had been started on the installation yet.',
}

function answerOf(
  { file, report, secret, historyRows, problems }: Drilled,
  seconds: number,
  into?: string,
): Answer {
  const { manifest, schema, blobs, blobBytes } = report
  const { createdAt, waymark, images, contents } = manifest
  const isGood = problems.length === 0
  const listed = problems.slice(0, maxListed)
  const unlisted = problems.length - listed.length
  return {
    exitCode: isGood ? exitCodes.ok : exitCodes.refused,
    document: {
      ok: isGood,
      file,
      createdAt,
      waymark,
      schema,
      images,
      contents,
      blobs,
      blobBytes,
      historyRows,
      secret,
      problems: listed,
      ...(unlisted > 0 && { unlisted }),
      seconds,
    },
    lines: [
      ...listed.map((detail) => `PROBLEM  ${detail}`),
      ...(unlisted > 0 ? [`… and ${unlisted} more.`] : []),
      `Restored and checked ${file} of ${createdAt} in ${seconds.toFixed(1)} s: ${counted(images, 'image')} in ${counted(contents, 'file')}, ${sized(blobBytes)} of photos, ${counted(historyRows, 'row')} of history.`,
      secretLines[secret],
      ...(into === undefined ? [] : [`The restored data is in ${into}.`]),
      isGood ? 'The backup can be restored.' : 'The backup has problems: see above.',
    ],
  }
}

export function addDrill(parent: Command, output: Output): void {
  parent
    .command('drill')
    .description('restore a backup to a scratch folder and check it, without touching the installation')
    .argument('<file>', 'a backup, or latest for the newest of this installation in BACKUP_TO')
    .option(
      '--into <folder>',
      'restore to this empty folder and keep it; otherwise to DATA_DIR/drill, which is deleted',
    )
    .option(
      '--to-database <url>',
      'restore the database to PostgreSQL, in a schema of its own that is dropped again',
    )
    .action(async (file: string, { into, toDatabase }: Options) => {
      const begun = performance.now()
      const progress = createProgressLine(process.stderr)
      const left =
        into === undefined ? 'the scratch folder was removed' : `what it had restored so far is in ${into}`
      const drilled = await stoppable(`The drill was cancelled; ${left}.`, async (signal) => {
        try {
          return await drill({ file, into, toDatabase, signal, onProgress: progress.draw })
        } finally {
          progress.clear()
        }
      })
      const seconds = Math.round(performance.now() - begun) / 1_000
      output.answer(answerOf(drilled, seconds, into))
    })
}
