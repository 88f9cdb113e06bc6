// SIGTERM to `npm start`: the server stops in good order, whether or not the shell between passes the signal on (trust 7).
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { test } from 'node:test'
import { newFolder } from '../helpers/folders.ts'

const root = path.resolve(import.meta.dirname, '../..')
const skip =
  process.platform === 'win32' || spawnSync('npm', ['--version']).status !== 0
    ? 'needs npm and signals'
    : false

void test('trust 7: SIGTERM to npm start ends the server, which stops cleanly', { skip }, async (t) => {
  const env = { PATH: process.env['PATH'], DATA_DIR: await newFolder(t), PORT: '0' }
  const settings = { ...env, PUBLIC_URL: 'http://waymark.example' }
  const npm = spawn('npm', ['start'], { cwd: root, env: settings, stdio: ['ignore', 'pipe', 'pipe'] })
  // The server holds the other end of both, so that they close when the last of them is gone.
  const over = once(npm, 'close', { signal: AbortSignal.timeout(60_000) })
  npm.stdout.resume()
  let said = ''
  npm.stderr.setEncoding('utf8').on('data', (chunk: string) => (said += chunk))
  while (!said.includes('Waymark listens on')) await Promise.race([once(npm.stderr, 'data'), over])
  const address = /listens on (http:\S+)/.exec(said)?.[1] ?? ''
  assert.equal((await fetch(`${address}/health/live`)).status, 200)
  npm.kill('SIGTERM')
  await over
  assert.match(said, /Waymark is stopping\.\n/)
  await assert.rejects(fetch(`${address}/health/live`))
})
