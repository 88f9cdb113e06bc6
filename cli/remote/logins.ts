// Where `waymark login` keeps what it got: one file in the person's own folder, readable by them alone.
import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import path from 'node:path'
import type { Tokens } from '../../client/client.ts'

interface Kept {
  /** The server that commands speak to where none is named. */
  readonly current: string | undefined
  readonly servers: Readonly<Record<string, Tokens>>
}

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

  return {
    current: async (): Promise<string | undefined> => (await read()).current,
    tokensOf: async (url: string): Promise<Tokens | undefined> => (await read()).servers[url],
    keep: async (url: string, tokens: Tokens): Promise<void> => {
      const { servers } = await read()
      await write({ current: url, servers: { ...servers, [url]: tokens } })
    },
    forget: async (url: string): Promise<void> => {
      const { current, servers } = await read()
      const { [url]: _, ...others } = servers
      await write({ current: current === url ? Object.keys(others)[0] : current, servers: others })
    },
  }
}

export type Logins = ReturnType<typeof createLogins>
