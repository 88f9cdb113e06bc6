// Directus as a peer of the benchmark: one process on loopback with its own database and folder, and the same photos.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Absent, Ground } from '../parts/bench.ts'
import { watchChild } from '../parts/child.ts'
import { fillDirectus, multipartOf, multipartType, tokens } from './directus-content.ts'
import { installedFile, notInstalled } from './installed.ts'

export const directusName = 'directus'

/** Not `directus/cli.js`, which first asks the npm registry for a newer version. */
const commandLine = '@directus/api/dist/cli/run.js'
/** Exists only after it has been built for this machine. */
const driver = 'sqlite3/build/Release/node_sqlite3.node'
const bootstrapMs = 300_000
const startMs = 120_000
const pollMs = 50
const maxWords = 300

const logOf = (folder: string): string => path.join(folder, 'directus.log')

export interface PeerRequest {
  readonly path: string
  readonly headers: Record<string, string>
}

export interface PeerUpload extends PeerRequest {
  /** Body of a POST answered with 200: the unchanged `photo` as multipart/form-data. */
  body(photo: Uint8Array): Uint8Array
}

export interface DirectusPeer {
  readonly pids: readonly number[]
  readonly port: number
  /** A GET answered with 200. `photo` is an index, modulo the number of photos. */
  view(photo: number, size: 'sm' | '640' | 'lg'): PeerRequest
  list(count: 20 | 100): PeerRequest
  readonly upload: PeerUpload
  /** A sentence if it has ended unexpectedly. */
  death(): string | undefined
  stop(): Promise<void>
}

/** Production settings, explained in README.md. Only PATH comes from this process. */
function environmentOf(folder: string): Record<string, string> {
  const { PATH = '' } = process.env
  return {
    PATH,
    HOME: folder,
    NODE_ENV: 'production',
    CONFIG_PATH: path.join(folder, 'none.env'),
    TEMP_PATH: path.join(folder, 'tmp'),
    HOST: '127.0.0.1',
    PORT: '0',
    PUBLIC_URL: 'http://127.0.0.1',
    SECRET: 'of-this-run-and-of-nothing-else-0123456789',
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: 'of-this-run-only',
    ADMIN_TOKEN: tokens.admin,
    DB_CLIENT: 'sqlite3',
    DB_FILENAME: path.join(folder, 'data.db'),
    STORAGE_LOCATIONS: 'local',
    STORAGE_LOCAL_DRIVER: 'local',
    STORAGE_LOCAL_ROOT: path.join(folder, 'uploads'),
    EXTENSIONS_PATH: path.join(folder, 'extensions'),
    CACHE_ENABLED: 'false',
    RATE_LIMITER_ENABLED: 'false',
    PRESSURE_LIMITER_ENABLED: 'false',
    LOG_STYLE: 'raw',
    LOG_LEVEL: 'info',
    SERVE_APP: 'false',
    TELEMETRY: 'false',
    EMAIL_VERIFY_SETUP: 'false',
    WEBSOCKETS_ENABLED: 'false',
  }
}

/** Runs a Directus command in the folder, with its output in the folder's log. */
function run(program: string, command: 'bootstrap' | 'start', folder: string): ChildProcess {
  const log = openSync(logOf(folder), 'a')
  const child = spawn(process.execPath, [program, command], {
    cwd: folder,
    env: environmentOf(folder),
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  return child
}

/** Its last output, since the log is deleted with the folder. */
async function lastWordsIn(folder: string): Promise<string> {
  const lines = (await readFile(logOf(folder), 'utf8')).trim().split('\n')
  return (lines.at(-1) ?? '').slice(0, maxWords)
}

/** Creates Directus's tables and the first administrator: about 120 migrations, each synced to disk. */
async function bootstrap(program: string, folder: string): Promise<void> {
  const child = run(program, 'bootstrap', folder)
  const { close } = watchChild(child, directusName, () => '')
  try {
    const [code] = (await once(child, 'exit', { signal: AbortSignal.timeout(bootstrapMs) })) as [
      number | null,
    ]
    if (code !== 0) throw new Error(`its bootstrap ended with ${code}`)
  } finally {
    await close()
  }
}

async function serve(program: string, folder: string, photos: readonly Uint8Array[]) {
  const child = watchChild(run(program, 'start', folder), directusName, () => '')
  const deadline = AbortSignal.timeout(startMs)
  const listening = async (): Promise<number> => {
    for (;;) {
      const [, port] = /Server started at \S*?:(\d+)"/.exec(await readFile(logOf(folder), 'utf8')) ?? []
      if (port !== undefined) return Number(port)
      const death = child.death()
      if (death !== undefined) throw new Error(death)
      await wait(pollMs, undefined, { signal: deadline })
    }
  }
  try {
    const port = await listening()
    return { child, port, ids: await fillDirectus(port, photos) }
  } catch (error) {
    await child.close()
    throw error
  }
}

const transforms = {
  sm: '?width=100&height=100&fit=inside',
  '640': '?width=640&height=640&fit=inside',
  lg: '',
} as const

const upload: PeerUpload = {
  path: '/files',
  headers: {
    Authorization: `Bearer ${tokens.admin}`,
    'Content-Type': multipartType,
  },
  body: multipartOf,
}

/** @param photos for views, by index. Without them, there are only lists and uploads. */
export async function startDirectus(
  ground: Ground,
  photos: readonly Uint8Array[] = [],
): Promise<DirectusPeer | Absent> {
  const program = installedFile(commandLine)
  if (program === undefined || installedFile(driver) === undefined)
    return { name: directusName, absent: notInstalled(directusName) }
  const folder = path.join(ground.folder, directusName)
  await rm(folder, { recursive: true, force: true })
  await mkdir(path.join(folder, 'uploads'), { recursive: true })
  await mkdir(path.join(folder, 'extensions'))
  await writeFile(path.join(folder, 'package.json'), '{}')
  const started = await bootstrap(program, folder)
    .then(() => serve(program, folder, photos))
    .catch((error: Error) => error)
  if (started instanceof Error) {
    const words = await lastWordsIn(folder)
    return {
      name: directusName,
      absent: `directus is installed, but did not start (${started.message}): ${words}`,
    }
  }
  const { child, port, ids } = started
  const { pid, death, close } = child
  return {
    pids: [pid],
    port,
    view: (photo, size) => ({ path: `/assets/${ids[photo % ids.length]}${transforms[size]}`, headers: {} }),
    list: (count) => ({
      path: `/items/images?limit=${count}&sort=-imageID`,
      headers: { Authorization: `Bearer ${tokens.reader}` },
    }),
    upload,
    death,
    stop: close,
  }
}
