// waymark serve: runs the server until it is told to stop.
import path from 'node:path'
import type { Command } from 'commander'
import packageFile from '../../package.json' with { type: 'json' }
import { buildWeb } from '../../scripts/build-web.ts'
import type { Config } from '../../src/settings/config.ts'
import { fail, isSystemError } from '../failures.ts'
import { readSettings } from '../installation.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** Why the server could not listen, with the setting to change; undefined where it is something else. */
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

export function addServe(parent: Command): void {
  parent
    .command('serve')
    .description('run the server, until SIGTERM or Ctrl+C')
    .option('--demo', 'start with sample trails, photos and accounts if DATA_DIR is empty')
    .action(async ({ demo: isDemo = false }: { demo?: boolean }) => {
      const config = readSettings()
      if (config.webApp === 'on')
        await buildWeb({ root, say: (sentence) => process.stderr.write(`${sentence}\n`) })
      // Loaded only now: the server brings libraries that no other command needs.
      const { serve } = await import('../../src/main.ts')
      try {
        await serve(config, { version: packageFile.version, isDemo })
      } catch (error) {
        const sentence = listenSentence(error, config)
        throw sentence === undefined ? error : fail('system-error', sentence)
      }
    })
}
