// waymark serve: runs the server until it is stopped.
import type { Command } from 'commander'
import packageFile from '../../package.json' with { type: 'json' }
import { buildWeb } from '../../scripts/build-web.ts'
import { applicationFolder } from '../../src/settings/application.ts'
import type { Config } from '../../src/settings/config.ts'
import { describeMissingWebApp } from '../../src/web-app/built.ts'
import { fail, isSystemError } from '../failures.ts'
import { readSettings } from '../installation.ts'

/** Why the server could not listen, with the setting to change; undefined for other errors. */
function listenSentence(error: unknown, { host, port }: Config): string | undefined {
  if (!isSystemError(error) || (error.syscall !== 'listen' && error.syscall !== 'getaddrinfo'))
    return undefined
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `PORT ${port} on ${host} is in use by another program: stop it or choose another port.`,
    EACCES: `PORT ${port} requires elevated privileges: choose 1024 or higher.`,
    EADDRNOTAVAIL: `HOST ${host} is not an address of this machine.`,
    ENOTFOUND: `HOST ${host} cannot be resolved.`,
  }
  return sentences[error.code ?? '']
}

/** Builds the web app if it is older than its sources, and warns if there is none: the API is served anyway. */
async function makeWebApp(): Promise<void> {
  const say = (sentence: string) => process.stderr.write(`${sentence}\n`)
  await buildWeb({ root: applicationFolder, say })
  const missing = describeMissingWebApp(applicationFolder)
  if (missing !== undefined) say(missing)
}

export function addServe(parent: Command): void {
  parent
    .command('serve')
    .description('run the server, until SIGTERM or Ctrl+C')
    .option('--demo', 'start with sample trails, photos and accounts if DATA_DIR is empty')
    .action(async ({ demo: isDemo = false }: { demo?: boolean }) => {
      const config = readSettings()
      if (config.webApp === 'on') await makeWebApp()
      // Loaded only now: the server needs libraries that no other command uses.
      const { serve } = await import('../../src/main.ts')
      try {
        await serve(config, { version: packageFile.version, isDemo })
      } catch (error) {
        const sentence = listenSentence(error, config)
        throw sentence === undefined ? error : fail('system-error', sentence)
      }
    })
}
