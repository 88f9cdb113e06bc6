// Runs a command in a pseudo-terminal, as a person would.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { TestContext } from 'node:test'

export const entry = path.resolve(import.meta.dirname, '../../bin/waymark.cjs')
/** Runs the command in a pseudo-terminal and forwards its input and output. */
const pty = 'import pty, sys; code = pty.spawn(sys.argv[1:]); sys.exit(code >> 8)'
export const skip =
  spawnSync('python3', ['-c', 'import pty; pty.openpty()']).status !== 0 &&
  'needs python3 and pseudo-terminals'

export function atTerminal(
  t: TestContext,
  args: readonly string[],
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
) {
  const child = spawn('python3', ['-c', pty, process.execPath, entry, ...args], {
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: dataDir,
      WEB_APP: 'off',
      PORT: '0',
      PUBLIC_URL: 'http://waymark.example',
      ...settings,
    },
    stdio: 'pipe',
    detached: true,
  })
  const closed = once(child, 'close') as Promise<[number | null]>
  const screen = { text: '' }
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    screen.text += chunk
  })
  t.after(async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
    await closed
  })
  return { child, closed, screen }
}
