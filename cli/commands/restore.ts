// waymark restore: creates an installation from a backup, if there is none yet.
import type { Command } from 'commander'
import {
  createRestore,
  type RestoreOptions,
  type RestoreReport,
} from '../../src/operations/backup/restore.ts'
import type { Config } from '../../src/settings/config.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { lockForServing } from '../../src/installation.ts'
import { exitCodes } from '../failures.ts'
import { openPhotos, readSettings } from '../installation.ts'
import { createProgressLine, stoppable } from '../long-work.ts'
import { counted, sized, type Answer, type Output } from '../output.ts'

const maxListed = 1_000

function secretLines({ secretFile }: Config, { secret }: RestoreReport): string[] {
  if (secret !== 'missing') return []
  return [
    `The backup contains no secret: put the secret of the installation at ${secretFile} before you start the server.`,
  ]
}

function answerOf(config: Config, file: string, report: RestoreReport, seconds: number): Answer {
  const { manifest, schema, secret, blobs, blobBytes, problems } = report
  const { createdAt, images, contents } = manifest
  const isGood = problems.length === 0
  const listed = problems.slice(0, maxListed)
  const unlisted = problems.length - listed.length
  const amount = `${counted(images, 'image')} in ${counted(contents, 'file')}`
  return {
    exitCode: isGood ? exitCodes.ok : exitCodes.refused,
    document: {
      ok: isGood,
      file,
      createdAt,
      schema,
      images,
      contents,
      blobs,
      blobBytes,
      secret,
      problems: listed,
      ...(unlisted > 0 && { unlisted }),
      seconds,
    },
    lines: [
      ...listed.map(({ sha256, detail }) => `PROBLEM  ${detail} (${sha256})`),
      ...(unlisted > 0 ? [`… and ${unlisted} more.`] : []),
      `Restored ${amount} as of ${createdAt}: ${sized(blobBytes)} of photos in ${seconds.toFixed(1)} s.`,
      ...secretLines(config, report),
      ...(isGood ? [] : ['The backup was incomplete; everything else was restored.']),
    ],
  }
}

async function restore(config: Config, options: RestoreOptions): Promise<RestoreReport> {
  const { databasePlace } = config
  await using opened = new AsyncDisposableStack()
  // Before anything is created here: the URL may be wrong.
  const database =
    databasePlace.engine === 'sqlite'
      ? undefined
      : opened.adopt(await openDatabase(databasePlace), (each) => each.close())
  const lock = await lockForServing(config)
  const progress = createProgressLine(process.stderr)
  try {
    const blobs = opened.adopt(await openPhotos(config), (each) => each.close())
    const onProgress = progress.draw
    return await createRestore({ config, database, blobs }).run({ ...options, onProgress })
  } finally {
    progress.clear()
    lock.release()
  }
}

export function addRestore(parent: Command, output: Output): void {
  parent
    .command('restore')
    .description('restore a backup to an empty installation, with no server running')
    .argument('<file>', 'a file written by "waymark backup"')
    .option('--without-secret', 'restore without the secret; put it at SECRET_FILE before the first start')
    .action(async (file: string, { withoutSecret = false }: { readonly withoutSecret?: boolean }) => {
      const config = readSettings()
      const begun = performance.now()
      const report = await stoppable('The restore was cancelled; nothing was kept.', (signal) =>
        restore(config, { file, withoutSecret, signal }),
      )
      const seconds = Math.round(performance.now() - begun) / 1_000
      output.answer(answerOf(config, file, report, seconds))
    })
}
