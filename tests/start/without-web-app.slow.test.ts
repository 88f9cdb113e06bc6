// An installation without a web app, as `npm ci --omit=dev` alone leaves it: the server says so at its start, and doctor fails.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, symlink } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { newFolder } from '../helpers/folders.ts'

const root = path.resolve(import.meta.dirname, '../..')
const parts = ['bin', 'cli', 'client', 'scripts/build-web.ts', 'src', 'package.json', 'docs/supply-chain']

/** What the image and the package have, without dist/. */
async function installed(t: TestContext): Promise<string> {
  const folder = await newFolder(t)
  for (const part of parts) {
    await mkdir(path.dirname(path.join(folder, part)), { recursive: true })
    await cp(path.join(root, part), path.join(folder, part), { recursive: true })
  }
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  return folder
}

void test('the server says that there is no web app, and serves the API; doctor reports a failure', async (t) => {
  const folder = await installed(t)
  const env = {
    PATH: process.env['PATH'],
    DATA_DIR: path.join(folder, 'data'),
    PORT: '0',
    PUBLIC_URL: 'http://127.0.0.1',
  }
  const start = (command: string) =>
    spawn(path.join(folder, 'bin/waymark'), [command], { env, stdio: ['ignore', 'pipe', 'pipe'] })

  const server = start('serve')
  t.after(() => server.kill('SIGKILL'))
  server.stdout.resume()
  let said = ''
  server.stderr.setEncoding('utf8').on('data', (piece: string) => (said += piece))
  const over = once(server, 'close')
  while (!/listens on/.test(said)) {
    await Promise.race([once(server.stderr, 'data'), over])
    assert.equal(server.exitCode, null, said)
  }
  const sentence = `There is no web app in ${folder}/dist/web, so only the API is served: install Waymark again, or set WEB_APP=off.`
  assert.deepEqual(
    said.split('\n').filter((line) => /web app/.test(line)),
    [sentence],
  )
  const url = /listens on (http:\S+)/.exec(said)?.[1]
  assert.equal((await fetch(`${url}/v2/site`)).status, 200)

  const doctor = start('doctor')
  const [reported, [code]] = await Promise.all([text(doctor.stdout), once(doctor, 'close')])
  assert.equal(code, 2)
  assert.equal(reported.split('\n')[0], `✗ ${sentence}`)
  assert.match(reported, /\nEverything else is well\. Details: waymark doctor --all\n$/)
})

void test('an installed command without settings creates no folder where it is run', async (t) => {
  const folder = await installed(t)
  const child = spawn(path.join(folder, 'bin/waymark'), ['accounts', 'list'], {
    cwd: folder,
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  assert.equal(code, 1)
  assert.match(
    said,
    /^There is no settings file \/etc\/waymark\/waymark\.env: create it, name another .*\.\n$/,
  )
})
