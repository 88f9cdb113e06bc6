// Builds the real application with one chosen fault, so that production code needs no switch for it.
import { createApp } from '../../../src/app.ts'
import type { Blobs } from '../../../src/storage/port.ts'
import { readConfig } from '../../../src/settings/config.ts'
import { loggerTo } from '../../../src/http/server.ts'
import { openInstallation, type Installation } from '../../../src/installation.ts'
import type { System } from '../../../src/system.ts'

export interface Wrong {
  readonly wrapBlobs?: (blobs: Blobs) => Blobs
  readonly system?: System
  readonly spoil?: (installation: Installation) => Promise<void>
}

/** Serves until killed. */
export async function serveWrong({ wrapBlobs = (blobs) => blobs, system, spoil }: Wrong): Promise<void> {
  const config = readConfig()
  const opened = await openInstallation(config, system)
  await spoil?.(opened)
  const app = await createApp(
    { ...opened, blobs: wrapBlobs(opened.blobs) },
    { logger: loggerTo(process.stdout, 'info') },
  )
  process.once('SIGTERM', () => process.exit(0))
  const address = await app.server.listen({ port: config.port, host: config.host })
  process.stderr.write(`A wrong Waymark listens on ${address}\n`)
  await app.sweep()
}
