// The sign-ins of `waymark login`: one file in the user's own folder, readable only by them.
import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Tokens } from '../../client/client.ts'
import { takeFileLock, type FileLock } from '../../src/database/sqlite/file-lock.ts'
import { fail } from '../failures.ts'

/** A client that acts for its account: it can sign in again with its secret, without a person. */
export interface ClientSecret {
  readonly clientId: string
  readonly clientSecret: string
}

export interface Login extends Tokens {
  /** If a client signed in instead of a person. */
  readonly client?: ClientSecret
}

interface StoredLogins {
  /** The default server of commands. */
  readonly current: string | undefined
  readonly servers: Readonly<Record<string, Login>>
}

/** A renewal takes one request, limited to half a minute (connection.ts); several commands may be waiting. */
const maxWaitMs = 5 * 60_000
const lookEveryMs = 25
/** As long as a slow request may take to arrive. */
const marginMs = 60_000

const nothing: StoredLogins = { current: undefined, servers: {} }

export function createLogins(folder: string) {
  const file = path.join(folder, 'logins.json')

  async function read(): Promise<StoredLogins> {
    try {
      return { ...nothing, ...(JSON.parse(await readFile(file, 'utf8')) as StoredLogins) }
    } catch (error) {
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return nothing
      throw error
    }
  }

  /** Atomic: refresh tokens work once, and a partial file would lose the sign-in. */
  async function write(logins: StoredLogins): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const staged = path.join(folder, `.logins-${randomBytes(6).toString('hex')}`)
    const handle = await open(staged, 'wx', 0o600)
    try {
      await handle.writeFile(`${JSON.stringify(logins, undefined, 2)}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(staged, file)
  }

  /** An operating system lock, released when the process ends for any reason. */
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

  /**
   * Only one command at a time reads and writes the file: two renewals with the same refresh token would look like
   * theft.
   */
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
    /** Saves a sign-in and makes its server the default. */
    keep: (url: string, tokens: Login): Promise<void> =>
      alone(async () => {
        const { servers } = await read()
        await write({ current: url, servers: { ...servers, [url]: tokens } })
      }),
    /**
     * @param tokens those of this command; another command may have renewed them in the meantime.
     * @param refresh works once per refresh token.
     */
    renew: (url: string, tokens: Tokens, refresh: (stored: Login) => Promise<Tokens>): Promise<Tokens> =>
      alone(async () => {
        const stored: Login = (await read()).servers[url] ?? tokens
        const isRenewed = stored.accessToken !== tokens.accessToken
        if (isRenewed && Date.now() < stored.expiresAt - marginMs) return stored
        const fresh: Login = { ...(await refresh(stored)), ...(stored.client && { client: stored.client }) }
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
