// Wrong usage and wrong settings: exit code 1, one sentence, and JSON if requested.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { newFolder } from '../helpers/folders.ts'
import { assertOneSentence, run, startChild } from './run-waymark.ts'

const wrong: readonly [string[], RegExp][] = [
  [['serve', '--sample'], /--sample/],
  [['trails'], /waymark trails add/],
  [['trails', 'ad'], /'ad'.*add/],
  [['bogus', '--json'], /'bogus'/],
  [['--json'], /No command given/],
  [['trails', 'add', '--id', '1', '--json'], /--name/],
  [['trails', 'add', '--id', '9007199254740992', '--name', 'x'], /--id must be a whole number/],
]

void describe('usage', { concurrency: 2 }, () => {
  for (const [args, sentence] of wrong) {
    void test(`waymark ${args.join(' ')}`, async (t) => {
      const dataDir = await newFolder(t)
      const { exitCode, stdout, stderr } = await run(args, { dataDir })
      assert.equal(exitCode, 1)
      assertOneSentence(stderr)
      assert.match(stderr, sentence)
      const document = { error: { code: 'usage', message: stderr.trimEnd() } }
      assert.equal(stdout, args.includes('--json') ? `${JSON.stringify(document)}\n` : '')
      assert.deepEqual(await readdir(dataDir), [], 'nothing was made')
    })
  }

  void test('an invalid setting is one sentence that names the variable', async (t) => {
    const dataDir = await newFolder(t)
    const commands = [['serve'], ['migrate']]
    for (const args of commands) {
      const { exitCode, stdout, stderr } = await run(args, { dataDir, settings: { PORT: 'abc' } })
      assert.deepEqual([exitCode, stdout], [1, ''])
      assertOneSentence(stderr)
      assert.match(stderr, /^PORT must/)
    }
    const asJson = await run(['check', '--json'], { dataDir, settings: { QUOTA_BYTES: '-1' } })
    assert.match(
      asJson.stdout,
      /^\{"error":\{"code":"wrong-setting","message":"QUOTA_BYTES must [^"]+"\}\}\n$/,
    )
  })

  void test('no command, or --help: every command on its line, and an example', async (t) => {
    const dataDir = await newFolder(t)
    const bare = await run([], { dataDir })
    const asked = await run(['--help'], { dataDir })
    assert.deepEqual([bare.exitCode, bare.stderr], [0, ''])
    assert.deepEqual(asked, bare)
    const commands = `serve doctor migrate check|trails add|trails import <file>|accounts create|keys create|keys list|
      keys revoke <prefix>|clients create`
    for (const command of commands.split(/\|\s*|(?<=serve|doctor|migrate) /)) {
      assert.match(bare.stdout, new RegExp(`^  ${command}  +\\S`, 'm'))
    }
    assert.match(bare.stdout, /waymark keys create --account/)
    const version = await run(['--version'], { dataDir })
    assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/)
    const expiry = await run(['keys', 'create', '--help'], { dataDir })
    assert.match(expiry.stdout, /90d/)
  })

  void test('names of Object.prototype are not commands', async (t) => {
    const dataDir = await newFolder(t)
    for (const word of ['toString', 'constructor', '__proto__']) {
      const ran = await run([word], { dataDir })
      assert.equal(ran.exitCode, 1, word)
      assertOneSentence(ran.stderr)
      assert.doesNotMatch(ran.stderr, /not a function/)
    }
  })

  void test('a reader that closes the pipe, such as head, ends the command without a stack trace', async (t) => {
    for (const args of [['doctor'], ['--help']]) {
      const child = startChild(args, { dataDir: await newFolder(t) })
      child.stdout.destroy()
      const [stderr, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')])
      assert.deepEqual([stderr, exitCode], ['', 2], args.join(' '))
    }
  })

  void test('an invalid data folder, and an invalid database', async (t) => {
    const dataDir = await newFolder(t)
    const badFolder = await run(['migrate'], { dataDir: `${process.execPath}/data` })
    assert.equal(badFolder.exitCode, 2)
    assertOneSentence(badFolder.stderr)
    const settings = { DATABASE_URL: `sqlite:${import.meta.filename}` }
    const noDatabase = await run(['keys', 'list', '--account', '1'], { dataDir, settings })
    assert.equal(noDatabase.exitCode, 2)
    assertOneSentence(noDatabase.stderr)
    assert.match(noDatabase.stderr, /DATABASE_URL/)
  })
})
