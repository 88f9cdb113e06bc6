// The packages as others get them: packed once per test file, and installed by npm without a registry.
import { execFile } from 'node:child_process'
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import rootPackage from '../../package.json' with { type: 'json' }

export const root = path.resolve(import.meta.dirname, '../..')
export const run = promisify(execFile)

/** The files of the tarballs. */
export interface Packed {
  readonly client: string
  readonly placing: string
  remove(): Promise<void>
}

/** Packs them in a folder shared by a file's tests. In a separate process, since Vite sets NODE_ENV. */
export async function packAll(): Promise<Packed> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'waymark-packages-'))
  await run(process.execPath, ['scripts/pack-client/pack.ts', folder], { cwd: root })
  const fileOf = (name: string): string => path.join(folder, `waymark-${name}-${rootPackage.version}.tgz`)
  return {
    client: fileOf('client'),
    placing: fileOf('placing'),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** A user's program in `folder`, with these tarballs and folders installed. Nothing is downloaded. */
export async function installIn(folder: string, packages: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  const quiet = ['--offline', '--no-audit', '--no-fund', '--loglevel=error']
  const cache = ['--cache', path.join(folder, '.npm')]
  await run('npm', ['install', ...quiet, ...cache, ...packages], { cwd: folder })
}

/**
 * Runs a module of that program as plain JavaScript.
 * @returns its output.
 */
export async function runIn(folder: string, file: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, ['--no-strip-types', file, ...args], { cwd: folder })
  return stdout
}

/** The compiler's errors for the project in the folder; '' if there are none. */
export async function complaintsAbout(folder: string, config: object): Promise<string> {
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
  return run(process.execPath, [tsc, '-p', folder], { cwd: folder }).then(
    () => '',
    (error: Error & { stdout?: string }) => error.stdout ?? error.message,
  )
}
