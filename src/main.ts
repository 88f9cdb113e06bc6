// The process of a server: opens the installation, listens, sweeps every hour, and stops in good order.
import { readFile } from 'node:fs/promises'
import { createAccounts } from './accounts/accounts.ts'
import { createApp, type App } from './app.ts'
import { hashPassword } from './auth/passwords.ts'
import { wrongSetting, type Config } from './config.ts'
import { Refusal } from './errors.ts'
import { loggerTo } from './http/server.ts'
import { openInstallation, type Installation } from './installation.ts'

const sweepEveryMs = 3_600_000
/** After this many milliseconds of stopping, what still runs is cut off. */
const stopGraceMs = 20_000

/** Contract D6, unattended: the first admin from ADMIN_EMAIL and ADMIN_PASSWORD_FILE. */
async function ensureFirstAdmin({ config, database, system }: Installation): Promise<void> {
  const { adminEmail, adminPasswordFile } = config
  if (adminEmail === undefined || adminPasswordFile === undefined) return
  const accounts = createAccounts({ db: database.db, system, hashPassword })
  // The file is read for the first admin alone: whoever deletes it afterwards, as they should, can still start.
  const readPassword = async () => (await readFile(adminPasswordFile, 'utf8')).replace(/\r?\n$/, '')
  const isNew = await accounts.ensureAdmin(adminEmail, readPassword).catch((error: unknown) => {
    const why = error instanceof Refusal ? error.detail : 'the file cannot be read.'
    throw wrongSetting(`ADMIN_EMAIL or ADMIN_PASSWORD_FILE cannot be used: ${why}`, error)
  })
  if (isNew) process.stderr.write(`Made the first admin, ${adminEmail}.\n`)
}

/** Sweeps now and every hour. @returns what stops it, once the sweep under way is done. */
function startSweeping(app: App): () => Promise<void> {
  const sweep = async (): Promise<void> => {
    try {
      await app.sweep()
    } catch (error) {
      app.server.log.error({ err: error }, 'the sweep failed')
    }
  }
  let running = sweep()
  const timer = setInterval(() => {
    running = running.then(sweep)
  }, sweepEveryMs).unref()
  return async () => {
    clearInterval(timer)
    await running
  }
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

/**
 * Serves until the process is told to stop.
 * @throws RangeError for a setting that cannot be used (from readConfig, before this is called) and errors of the system,
 *   such as a port in use.
 */
export async function serve(config: Config): Promise<void> {
  const installation = await openInstallation(config)
  try {
    await ensureFirstAdmin(installation)
    const app = await createApp(installation, { logger: loggerTo(process.stdout, 'info') })
    const stop = stopSignal() // before anybody can know that it listens: a signal that nobody awaits would kill
    const address = await app.server.listen({ port: config.port, host: config.host })
    process.stderr.write(`Waymark listens on ${address} and is known as ${config.publicUrl}\n`)
    const stopSweeping = startSweeping(app)

    await stop
    process.stderr.write('Waymark is stopping.\n')
    setTimeout(() => process.exit(1), stopGraceMs).unref()
    app.beginStop()
    await app.close()
    await stopSweeping()
  } finally {
    await installation.close()
  }
}
