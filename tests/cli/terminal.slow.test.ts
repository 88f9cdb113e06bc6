// Output at a terminal and in a journal: a typed password, and the link for the first admin (D6).
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { until } from '../faults/harness/server.ts'
import { newFolder } from '../helpers/folders.ts'
import { atTerminal, entry, skip } from './at-terminal.ts'
import { done, run, startChild } from './run-waymark.ts'

void test(
  'a password typed at "accounts create --password-stdin" does not show',
  { skip, timeout: 90_000 },
  async (t) => {
    const dataDir = await newFolder(t)
    const args = ['accounts', 'create', '--email', 'ana@trails.example', '--name', 'Ana', '--password-stdin']
    const { child, closed, screen } = atTerminal(t, args, dataDir)
    await until(() => screen.text.includes('it is not shown'), 'the prompt')
    child.stdin.write('thistle anvil\u007fl nine\r')
    assert.equal((await closed)[0], 0, screen.text)
    assert.match(screen.text, /Created account \d+/)
    assert.doesNotMatch(screen.text, /thistle|anvil|nine/)
    const { accounts } = (await done(['accounts', 'list'], { dataDir })) as { accounts: unknown[] }
    assert.equal(accounts.length, 1)
  },
)

void test('Ctrl+C at the prompt creates no account', { skip, timeout: 90_000 }, async (t) => {
  const dataDir = await newFolder(t)
  const args = ['accounts', 'create', '--email', 'ana@trails.example', '--name', 'Ana', '--password-stdin']
  const { child, closed, screen } = atTerminal(t, args, dataDir)
  await until(() => screen.text.includes('it is not shown'), 'the prompt')
  child.stdin.write('half\u0003')
  assert.notEqual((await closed)[0], 0, screen.text)
  assert.doesNotMatch(screen.text, /half|Created/)
})

void test(
  'D6: a server started at a terminal prints the link for the first admin',
  { skip, timeout: 90_000 },
  async (t) => {
    const dataDir = await newFolder(t)
    const { screen } = atTerminal(t, ['serve'], dataDir)
    await until(() => /http:\/\/waymark\.example\/join\/[\w-]{43}/.test(screen.text), 'the link')
  },
)

void test(
  'D6: a server whose log is collected, as in a container, prints the link too',
  { timeout: 90_000 },
  async (t) => {
    const child = startChild(['serve'], {
      dataDir: await newFolder(t),
      settings: { PORT: '0', PUBLIC_URL: 'http://waymark.example', JOURNAL_STREAM: '8:1234' }, // of another process
    })
    const closed = once(child, 'close')
    t.after(async () => {
      child.kill('SIGKILL')
      await closed
    })
    let said = ''
    child.stdout.resume()
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk
    })
    await until(() => /http:\/\/waymark\.example\/join\/[\w-]{43}/.test(said), 'the link')
  },
)

void test(
  'D6: if others can read the journal, the link goes into a file for the server’s user only, and a command prints another',
  { timeout: 90_000 },
  async (t) => {
    const dataDir = await newFolder(t)
    const journalFile = path.join(await newFolder(t), 'journal')
    const journal = await open(journalFile, 'a')
    t.after(() => journal.close())
    const { dev, ino } = await journal.stat({ bigint: true })
    const child = spawn(process.execPath, [entry, 'serve'], {
      env: {
        PATH: process.env['PATH'],
        DATA_DIR: dataDir,
        WEB_APP: 'off',
        PORT: '0',
        PUBLIC_URL: 'http://waymark.example',
        JOURNAL_STREAM: `${dev}:${ino}`,
      },
      stdio: ['ignore', journal.fd, journal.fd],
    })
    const closed = once(child, 'close')
    t.after(async () => {
      child.kill('SIGKILL')
      await closed
    })
    const file = path.join(dataDir, 'set-up-link')
    const said = () => readFile(journalFile, 'utf8')
    await until(async () => (await said()).includes(file), 'the name of the file')
    assert.doesNotMatch(await said(), /\/join\//)
    const link = await readFile(file, 'utf8')
    assert.match(link, /^http:\/\/waymark\.example\/join\/[\w-]{43}\n$/)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    child.kill('SIGTERM')
    await closed
    const { url } = (await done(['accounts', 'set-up-link'], {
      dataDir,
      settings: { PUBLIC_URL: 'http://waymark.example' },
    })) as {
      url: string
    }
    assert.match(url, /\/join\/[\w-]{43}$/)
    assert.notEqual(`${url}\n`, link)
    await done(['accounts', 'create', '--email', 'a@trails.example', '--name', 'A', '--role', 'admin'], {
      dataDir,
    })
    const refused = await run(['accounts', 'set-up-link'], { dataDir })
    assert.equal(refused.exitCode, 2)
    assert.match(refused.stderr, /An admin already exists/)
  },
)
