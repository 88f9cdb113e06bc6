// What `waymark login` has received: one file in the person's own folder, which only they can read.
import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Tokens } from '../../client/client.ts'
import { takeFileLock, type FileLock } from '../../src/database/sqlite/file-lock.ts'
import { fail } from '../failures.ts'

/** A client that acts for its account: its secret is enough to sign in again, without a person. */
export interface ClientSecret {
  readonly clientId: string
  readonly clientSecret: string
}

export interface Login extends Tokens {
  /** Where a client signed in and not a person. */
  readonly client?: ClientSecret
}

interface Kept {
  /** The server that commands speak to where none is named. */
  readonly current: string | undefined
  readonly servers: Readonly<Record<string, Login>>
}

/** A renewal takes a request, which ends after half a minute (connection.ts); several commands may be waiting. */
const maxWaitMs = 5 * 60_000
const lookEveryMs = 25
/** As long as a slow request may take to arrive. */
const marginMs = 60_000

const nothing: Kept = { current: undefined, servers: {} }

export function createLogins(folder: string) {
  const file = path.join(folder, 'logins.json')

  async function read(): Promise<Kept> {
    try {
      return { ...nothing, ...(JSON.parse(await readFile(file, 'utf8')) as Kept) }
    } catch (error) {
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return nothing
      throw error
    }
  }

  /** Whole or not at all: a refresh token works once, and half a file would lose the sign-in. */
  async function write(kept: Kept): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const staged = path.join(folder, `.logins-${randomBytes(6).toString('hex')}`)
    const handle = await open(staged, 'wx', 0o600)
    try {
      await handle.writeFile(`${JSON.stringify(kept, undefined, 2)}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(staged, file)
  }

  /** The operating system's lock, which ends with its process, however that ends. */
  async function lock(): Promise<FileLock> {
    const until = performance.now() + maxWaitMs
    for (;;) {
      const held = takeFileLock(path.join(folder, 'logins.lock'))
      if (held) return held
      if (performance.now() > until)
        throw fail('system-error', `Another command has been using ${file} for minutes: stop it, and retry.`)
      await pause(lookEveryMs)
    }
  }

  /** One command at a time reads and writes it: two that renew with one refresh token would look like theft. */
  async function alone<Result>(work: () => Promise<Result>): Promise<Result> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const held = await lock()
    try {
      return await work()
    } finally {
      held.release()
    }
  }

  return {
    current: async (): Promise<string | undefined> => (await read()).current,
    tokensOf: async (url: string): Promise<Login | undefined> => (await read()).servers[url],
    /** Of a sign-in: from now on commands speak to this server where none is named. */
    keep: (url: string, tokens: Login): Promise<void> =>
      alone(async () => {
        const { servers } = await read()
        await write({ current: url, servers: { ...servers, [url]: tokens } })
      }),
    /**
     * @param tokens those that the command has, and that another one may have renewed meanwhile.
     * @param refresh works once for a refresh token.
     */
    renew: (url: string, tokens: Tokens, refresh: (kept: Login) => Promise<Tokens>): Promise<Tokens> =>
      alone(async () => {
        const kept: Login = (await read()).servers[url] ?? tokens
        const isRenewed = kept.accessToken !== tokens.accessToken
        if (isRenewed && Date.now() < kept.expiresAt - marginMs) return kept
        const fresh: Login = { ...(await refresh(kept)), ...(kept.client && { client: kept.client }) }
        const { current, servers } = await read()
        await write({ current, servers: { ...servers, [url]: fresh } })
        return fresh
      }),
    forget: (url: string): Promise<void> =>
      alone(async () => {
        const { current, servers } = await read()
        const { [url]: _, ...others } = servers
        await write({ current: current === url ? Object.keys(others)[0] : current, servers: others })
      }),
  }
}

export type Logins = ReturnType<typeof createLogins>
