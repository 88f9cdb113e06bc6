// The process of a server: opens the installation, listens, starts the background jobs, and stops in good order.
import { readFile } from 'node:fs/promises'
import { hasAdmin } from './accounts/account-table.ts'
import { createAccounts } from './accounts/accounts.ts'
import { siteWordsOf } from './accounts/password-rules.ts'
import { createApp, type App } from './app.ts'
import { auditSettings } from './accounts/audit/settings.ts'
import { hashPassword } from './auth/passwords.ts'
import {
  describeRenamed,
  describeSettings,
  readJournalStream,
  wrongSetting,
  type Config,
} from './settings/config.ts'
import { describeMissingFlag } from './settings/heap-flag.ts'
import { Refusal } from './errors.ts'
import { describeShortage } from './database/connection-shortage.ts'
import { createBatchedLog } from './http/logs/batched-log.ts'
import { loggerTo } from './http/server.ts'
import { forgetSetUpLink, handOverSetUpLink, isStderrJournal } from './sign-in/set-up-link.ts'
import { ageMarked } from './images/storage/content-table.ts'
import { lockForServing, openInstallation, type Installation } from './installation.ts'

/** Contract D6, unattended: the first admin from ADMIN_EMAIL and ADMIN_PASSWORD_FILE. */
async function ensureFirstAdmin({ config, database, system }: Installation): Promise<void> {
  const { adminEmail, adminPasswordFile } = config
  if (adminEmail === undefined || adminPasswordFile === undefined) return
  const accounts = createAccounts({
    db: database.db,
    system,
    hashPassword,
    siteWords: () => siteWordsOf(config),
  })
  // The file is read for the first admin alone: whoever deletes it afterwards, as they should, can still start.
  const readPassword = async () => (await readFile(adminPasswordFile, 'utf8')).replace(/\r?\n$/, '')
  const isNew = await accounts.ensureAdmin(adminEmail, readPassword).catch((error: unknown) => {
    const why = error instanceof Refusal ? error.detail : 'the file cannot be read.'
    throw wrongSetting(`ADMIN_EMAIL or ADMIN_PASSWORD_FILE cannot be used: ${why}`, error)
  })
  if (isNew) process.stderr.write(`Created the first admin, ${adminEmail}.\n`)
}

/** Contract D6, attended: where there is no admin, the link by which the first is made. */
async function offerSetUp({ config, database }: Installation, app: App): Promise<void> {
  const place = { dataDir: config.dataDir, isJournal: isStderrJournal(readJournalStream()) }
  if (await hasAdmin(database.db)) return forgetSetUpLink(place)
  const link = await app.services.joining.makeSetUpLink()
  if (link === undefined) return
  process.stderr.write(await handOverSetUpLink(link, place))
}

/** Waits for SIGTERM, SIGINT, or the end of the launcher that an old Node needs (bin/newer-node.cjs). */
async function stopSignal(): Promise<void> {
  await new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve())
    process.once('disconnect', () => resolve())
    process.channel?.unref() // the channel alone keeps no process alive
  })
}

/** Waits for the reason to stop; where a write was lost, @returns the failure to end with. */
async function whatEndsIt({ faults }: Installation, stop: Promise<void>): Promise<Error | undefined> {
  const loss = await Promise.race([stop, faults.firstLoss])
  if (loss === undefined) return undefined
  const sentence =
    'A write to disk failed after it had been accepted, so the server stops: check the disk, then start again.'
  return Object.assign(new Error(sentence, { cause: loss }), { failureCode: 'storage-lost' })
}

/** Fills an empty installation with the demo. @returns false where the signal to stop came first. */
async function bringDemo(installation: Installation, stop: Promise<void>): Promise<boolean> {
  // Loaded only now: no other start needs what paints pictures.
  const { ensureDemo } = await import('./demo/demo.ts')
  const stopping = new AbortController()
  void stop.then(() => stopping.abort())
  const say = (text: string) => process.stderr.write(text)
  const isThere = await ensureDemo({ installation, say, stopping: stopping.signal })
  if (!isThere) say('Stopping. The demo is not complete yet: the next start with --demo continues.\n')
  return isThere
}

export interface ServeOptions {
  /** Of the package, for the metrics. */
  readonly version: string
  /** Whether to begin with sample trails, photos and accounts. */
  readonly isDemo: boolean
}

async function serveInstallation(installation: Installation, options: ServeOptions): Promise<void> {
  const { config } = installation
  const stop = stopSignal() // before all that takes long: a signal that nobody awaits would kill
  await installation.blobs.probe()
  // The lock says that no upload of this folder is under way: whatever is staged was left by a process that died.
  const temporaryFiles = await installation.blobs.sweepStaged(Number.POSITIVE_INFINITY)
  if (options.isDemo && !(await bringDemo(installation, stop))) return
  const { database } = installation
  if (database.serve) await database.serve()
  else await ageMarked(database.db) // of several nodes another may be deleting
  await ensureFirstAdmin(installation)
  for (const sentence of describeRenamed()) process.stderr.write(`${sentence}\n`)
  const settings = describeSettings()
  const log = createBatchedLog(process.stdout)
  process.once('exit', log.flush)
  const app = await createApp(installation, {
    logger: loggerTo(log, 'info'),
    version: options.version,
    settings,
    hasProcessMetrics: true,
  })
  const missingFlag = describeMissingFlag()
  if (missingFlag !== undefined) app.server.log.warn(missingFlag)
  const budget = await database.connectionBudget?.()
  const shortage = budget && describeShortage(budget, config.databaseConnections)
  if (shortage !== undefined) app.server.log.warn(shortage)
  if (temporaryFiles > 0) app.server.log.info({ temporaryFiles }, 'removed the files of interrupted uploads')
  // A start that fails now must leave nobody who listens and hears no signal any more.
  const begin = async (): Promise<void> => {
    const address = await app.server.listen({ port: config.port, host: config.host })
    process.stderr.write(`Waymark listens on ${address} with the public URL ${config.publicUrl}\n`)
    await offerSetUp(installation, app)
    await auditSettings(installation.database.db, settings, installation.system.now())
  }
  await begin().catch(async (error: unknown) => {
    await app.close()
    throw error
  })
  // Behind the start, which must not wait for another site: a style that browsers block is an empty map, and says nothing.
  const tellOfMap = async (): Promise<void> => {
    const trouble = await app.services.siteMap.trouble()
    if (trouble !== undefined) app.server.log.warn(trouble)
  }
  tellOfMap().catch((error: unknown) => app.server.log.warn({ err: error }, 'the map could not be checked'))
  app.startJobs()

  const failure = await whatEndsIt(installation, stop)
  if (failure) app.server.log.fatal({ err: failure.cause }, failure.message)
  process.stderr.write('Waymark is stopping.\n')
  const giveUp = (): void => {
    process.stderr.write(
      `Some requests were still in progress after ${config.stopGraceSeconds} seconds (STOP_GRACE) and were cut off.\n`,
    )
    process.exit(2)
  }
  setTimeout(giveUp, config.stopGraceSeconds * 1_000).unref()
  app.beginStop()
  await app.close()
  if (failure) throw failure
}

/**
 * Serves until the process is told to stop, or until the disk loses a write.
 * @throws RangeError for a setting that cannot be used (from readConfig, before this is called), errors of the system,
 *   such as a port in use, and an Error of one sentence where another server has the same data, where the demo would
 *   have to mix with what is there, or where a write was lost.
 */
export async function serve(config: Config, options: ServeOptions): Promise<void> {
  const lock = await lockForServing(config)
  try {
    const installation = await openInstallation(config)
    try {
      await serveInstallation(installation, options)
    } finally {
      await installation.close()
    }
  } finally {
    lock.release()
  }
}
