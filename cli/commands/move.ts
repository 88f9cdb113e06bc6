// waymark move: moves the installation to another database, another photo storage, or both, whether or not a server
// is running.
import path from 'node:path'
import type { Command } from 'commander'
import { describeSettingsWith, type Config, type Environment } from '../../src/settings/config.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { takeFileLock } from '../../src/database/sqlite/file-lock.ts'
import { createMove, type MoveReport, type MoveStep } from '../../src/operations/migration/move.ts'
import { realSystem } from '../../src/system.ts'
import { exitCodes, fail, wrongUsage } from '../failures.ts'
import { openPhotos, readSettings, requireDatabase } from '../installation.ts'
import { createProgressLine, stoppable } from '../long-work.ts'
import { counted, sized, type Answer, type Output } from '../output.ts'

interface Options {
  readonly toDatabase?: string
  readonly toBlobs?: string
}

const maxListed = 1_000

const stepSentences: Readonly<Record<MoveStep, string>> = {
  photos: 'Copying photos; the service stays available.',
  'checking-photos': 'Checking that all photos have arrived; the service stays available.',
  rows: 'Copying and comparing the database tables; the service stays available.',
  'read-only': 'The service is now read-only.',
  changes: 'Copying what has changed in the meantime.',
}

/** The settings that the move changes, as `doctor` prints them, without passwords. */
function shownPlaces(others: Environment) {
  const lines = describeSettingsWith(others)
  const shown = (variable: string): string => lines.find((line) => line.variable === variable)?.value ?? ''
  return { database: shown('DATABASE_URL'), blobs: shown('BLOB_URL') }
}

/** The new location was given as an option, so an error about it names the option. */
function rethrowAsOption(error: unknown): never {
  if (error instanceof Error)
    error.message = error.message.replace(/^DATABASE_URL/, '--to-database').replace(/^BLOB_URL/, '--to-blobs')
  throw error
}

function readNewSettings(others: Environment): Config {
  try {
    return readSettings(others)
  } catch (error) {
    return rethrowAsOption(error)
  }
}

interface Plan {
  readonly from: Config
  readonly to: Config
  readonly database: string | undefined
  readonly blobs: string | undefined
}

function planOf({ toDatabase, toBlobs }: Options): Plan {
  if (toDatabase === undefined && toBlobs === undefined)
    throw wrongUsage('Choose a target: --to-database, --to-blobs or both.')
  const others = {
    ...(toDatabase === undefined ? {} : { DATABASE_URL: toDatabase }),
    ...(toBlobs === undefined ? {} : { BLOB_URL: toBlobs }),
  }
  const [from, to] = [readSettings(), readNewSettings(others)]
  const [before, after] = [shownPlaces({}), shownPlaces(others)]
  if (toDatabase !== undefined && before.database === after.database)
    throw wrongUsage('--to-database is the current database.')
  if (toBlobs !== undefined && before.blobs === after.blobs)
    throw wrongUsage('--to-blobs is the current photo storage.')
  return {
    from,
    to,
    database: toDatabase === undefined ? undefined : after.database,
    blobs: toBlobs === undefined ? undefined : after.blobs,
  }
}

async function move({ from, to, database, blobs }: Plan, signal: AbortSignal, output: Output) {
  const progress = createProgressLine(process.stderr)
  await using opened = new AsyncDisposableStack()
  const open = async (config: Config) =>
    opened.adopt(await openDatabase(config.databasePlace), (each) => each.close())
  const openStore = async (config: Config) => opened.adopt(await openPhotos(config), (each) => each.close())
  const source = { database: await open(from), blobs: await openStore(from) }
  const target = {
    database: database === undefined ? undefined : await open(to).catch(rethrowAsOption),
    blobs: blobs === undefined ? undefined : await openStore(to).catch(rethrowAsOption),
  }
  const moving = createMove({ source, target, blobsPlace: blobs, now: () => realSystem.now() })
  try {
    return await moving.run({
      signal,
      onPhotos: progress.draw,
      onStep: (step) => {
        progress.clear()
        const hasPhotos = blobs !== undefined || !/photos/.test(step)
        if (hasPhotos && (database !== undefined || step !== 'rows')) output.remark(stepSentences[step])
      },
    })
  } finally {
    progress.clear()
  }
}

/** The remaining steps, which only the operator can do. */
function nextSteps({ from, database, blobs }: Plan): string[] {
  const settings = [
    ...(database === undefined ? [] : [`DATABASE_URL=${database}`]),
    ...(blobs === undefined ? [] : [`BLOB_URL=${blobs}`]),
  ]
  return [
    'The source stays read-only. Stop its server now: keys revoked and tokens issued there from now on are not in the target.',
    `Then start Waymark with ${settings.join(' and ')}, and the same SECRET_FILE, ${from.secretFile}.`,
    'To go back instead, run "waymark read-only off" with the old settings.',
  ]
}

function answerOf(plan: Plan, report: MoveReport, seconds: number): Answer {
  const { isResumed, stored, moved, tables, problems } = report
  const rows = tables.values().reduce((sum, table) => sum + table.rows, 0)
  const isGood = problems.length === 0
  const listed = problems.slice(0, maxListed)
  const unlisted = problems.length - listed.length
  const { images, contents } = stored
  const photos = moved && `${counted(moved.files, 'photo file')}, ${sized(moved.fileBytes)}`
  const parts = [
    ...(plan.database === undefined ? [] : [`${counted(rows, 'row')} in ${counted(tables.size, 'table')}`]),
    ...(photos === undefined ? [] : [photos]),
  ]
  return {
    exitCode: isGood ? exitCodes.ok : exitCodes.refused,
    document: {
      ok: isGood,
      database: plan.database ?? null,
      blobs: plan.blobs ?? null,
      resumed: isResumed,
      images,
      contents,
      rows,
      tables: Object.fromEntries(tables),
      ...(moved && {
        files: moved.files,
        fileBytes: moved.fileBytes,
        missingRenditions: moved.missingRenditions,
      }),
      sourceReadOnly: true,
      problems: listed,
      ...(unlisted > 0 && { unlisted }),
      seconds,
    },
    lines: [
      ...listed.map(({ sha256, detail }) => `PROBLEM  ${detail} (${sha256})`),
      ...(unlisted > 0 ? [`… and ${unlisted} more.`] : []),
      `Moved and compared ${parts.join(', and ')}, in ${seconds.toFixed(1)} s: ${counted(images, 'image')} in total.`,
      ...nextSteps(plan),
      ...(isGood ? [] : ['Some photos were already lost; everything else was migrated.']),
    ],
  }
}

export function addMove(parent: Command, output: Output): void {
  parent
    .command('move')
    .description(
      'migrate to another database or photo storage while the server runs; the source ends up read-only',
    )
    .option('--to-database <url>', 'target database, as in DATABASE_URL: sqlite:<file> or postgres://…')
    .option('--to-blobs <url>', 'target photo storage, as in BLOB_URL')
    .action(async (options: Options) => {
      const plan = planOf(options)
      requireDatabase(plan.from)
      const lock = takeFileLock(path.join(plan.from.dataDir, 'move-lock'))
      if (!lock) throw fail('move-running', 'Another migration of this installation is running.')
      const begun = performance.now()
      try {
        const report = await stoppable(
          'The migration was cancelled. The installation is unchanged; run the same command to continue.',
          (signal) => move(plan, signal, output),
        )
        const seconds = Math.round(performance.now() - begun) / 1_000
        output.answer(answerOf(plan, report, seconds))
      } finally {
        lock.release()
      }
    })
}
