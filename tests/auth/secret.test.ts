// SECRET_FILE: created once even if several processes start, private, and usable across a rotation.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import * as fs from 'node:fs/promises'
import fsModule from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'
import { afterEach, beforeEach, mock, test } from 'node:test'
import { promisify } from 'node:util'
import { loadSecret } from '../../src/auth/secret.ts'
import { temporaryFolder } from '../helpers/oauth-harness.ts'

const run = promisify(execFile)
const older = 'o'.repeat(43)
const newer = 'n'.repeat(43)

let folder: string
let file: string

beforeEach(async () => {
  folder = await temporaryFolder()
  file = path.join(folder, 'data', 'secret')
})

afterEach(() => fs.rm(folder, { recursive: true, force: true }))

async function write(text: string, mode = 0o600): Promise<void> {
  await fs.mkdir(path.dirname(file), { recursive: true })
  await fs.writeFile(file, text)
  await fs.chmod(file, mode)
}

void test('the first start creates a file of mode 0600 with 256 random bits, and the next reads it', async () => {
  const first = await loadSecret(file)
  assert.equal((await fs.stat(file)).mode & 0o777, 0o600)
  assert.match(await fs.readFile(file, 'utf8'), /^[A-Za-z0-9_-]{43}\n$/)
  const second = await loadSecret(file)
  assert.deepEqual(second.cookieKeys, first.cookieKeys)
  assert.equal(second.unseal(first.seal('text')), 'text')
  assert.deepEqual(await fs.readdir(path.dirname(file)), ['secret'], 'no draft is left')
})

void test('processes that start at the same moment end up with the same secret', async () => {
  const secrets = await Promise.all(Array.from({ length: 30 }, () => loadSecret(file)))
  assert.equal(new Set(secrets.map(({ cookieKeys }) => cookieKeys.join())).size, 1)
})

void test('a secret that another process created at the last moment is kept, never replaced', async () => {
  const { writeFile } = fs
  mock.method(fsModule, 'writeFile', async (...call: Parameters<typeof writeFile>) => {
    await writeFile(...call)
    await writeFile(file, `${newer}\n`, { mode: 0o600 })
  })
  syncBuiltinESMExports()
  try {
    const secret = await loadSecret(file)
    assert.equal(await fs.readFile(file, 'utf8'), `${newer}\n`)
    assert.deepEqual(secret.cookieKeys, (await loadSecret(file)).cookieKeys)
  } finally {
    mock.restoreAll()
    syncBuiltinESMExports()
  }
})

void test('real processes that start at once end up with the same secret, too', async () => {
  const module = new URL('../../src/auth/secret.ts', import.meta.url).href
  const script = `const { loadSecret } = await import(${JSON.stringify(module)})
    process.stdout.write((await loadSecret(${JSON.stringify(file)})).cookieKeys.join())`
  const starts = Array.from({ length: 4 }, () => run(process.execPath, ['--input-type=module', '-e', script]))
  const outputs = (await Promise.all(starts)).map(({ stdout }) => stdout)
  assert.equal(new Set(outputs).size, 1)
  assert.match(outputs[0] ?? '', /^[A-Za-z0-9_-]{43}$/)
})

for (const mode of [0o644, 0o640, 0o604, 0o620, 0o602]) {
  void test(`mode 0${mode.toString(8)} is refused`, { skip: process.platform === 'win32' }, async () => {
    await write(`${newer}\n`, mode)
    await assert.rejects(
      loadSecret(file),
      /^Error: SECRET_FILE \S+ can be read by other users .*chmod 600 \S+\.$/,
    )
  })
}

const isRoot = process.getuid?.() === 0

void test(
  'a file of root that a group may read is accepted from other users, as container secrets are mounted',
  { skip: !isRoot && 'needs root' },
  async () => {
    const notRoot = mock.method(process as Required<Pick<typeof process, 'getuid'>>, 'getuid', () => 10_001)
    try {
      for (const mode of [0o400, 0o440, 0o640]) {
        await write(`${newer}\n`, mode)
        assert.equal((await loadSecret(file)).cookieKeys.length, 1, mode.toString(8))
      }
      for (const mode of [0o444, 0o460, 0o450, 0o644, 0o604]) {
        await write(`${newer}\n`, mode)
        await assert.rejects(loadSecret(file), /can be read by other users/, mode.toString(8))
      }
      await write(`${newer}\n`, 0o440)
      await fs.chown(file, 10_001, 10_001)
      await assert.rejects(
        loadSecret(file),
        /can be read by other users/,
        'its owner could have opened it to anybody',
      )
    } finally {
      notRoot.mock.restore()
    }
  },
)

for (const [name, text, message] of [
  ['a short line', `${'x'.repeat(31)}\n`, /is too short/],
  ['a short second line', `${newer}\nshort\n`, /is too short/],
  ['three lines', `${newer}\n${older}\n${older}\n`, /has 3/],
  ['an empty file', '', /has 0/],
] as const) {
  void test(`${name} is refused in one sentence naming the variable`, async () => {
    await write(text)
    await assert.rejects(loadSecret(file), (error: Error) => {
      assert.match(error.message, /^SECRET_FILE [^\n]*\.$/)
      assert.match(error.message, message)
      return true
    })
  })
}

void test('an unreadable file is also refused in a sentence', async () => {
  await fs.mkdir(file, { recursive: true, mode: 0o700 })
  await fs.chmod(file, 0o700)
  await assert.rejects(loadSecret(file), { message: /^SECRET_FILE \S+ can/ })
})

void test('during rotation, the first line seals and signs, and both open', async () => {
  await write(`${older}\n`)
  const before = await loadSecret(file)
  const sealedBefore = before.seal('kept')

  await write(`${newer}\r\n${older}\r\n`)
  const during = await loadSecret(file)
  assert.equal(during.unseal(sealedBefore), 'kept')
  assert.equal(during.isStale(sealedBefore), true)
  assert.deepEqual(during.cookieKeys[1], before.cookieKeys[0])
  assert.notEqual(during.cookieKeys[0], before.cookieKeys[0])
  const sealedDuring = during.seal('fresh')
  assert.equal(during.isStale(sealedDuring), false)

  await write(`${newer}\n`)
  const after = await loadSecret(file)
  assert.equal(after.unseal(sealedDuring), 'fresh')
  assert.throws(() => after.unseal(sealedBefore), /a different secret/)
})

void test('altered data does not open, and equal texts do not look alike', async () => {
  const secret = await loadSecret(file)
  const sealed = secret.seal('Grüße, 🥾')
  assert.equal(secret.unseal(sealed), 'Grüße, 🥾')
  assert.notEqual(sealed, secret.seal('Grüße, 🥾'))
  for (let at = 0; at < sealed.length; at += 7) {
    const other = sealed[at] === 'A' ? 'B' : 'A'
    const altered = sealed.slice(0, at) + other + sealed.slice(at + 1)
    assert.throws(() => secret.unseal(altered), /altered/)
  }
  for (const text of ['', 'short', '!!!']) assert.throws(() => secret.unseal(text), /altered/)
})

void test('the derived keys differ from the secret and from each other', async () => {
  await write(`${newer}\n`)
  const { cookieKeys } = await loadSecret(file)
  assert.equal(cookieKeys.length, 1)
  assert.notEqual(cookieKeys[0], newer)
  const sealed = (await loadSecret(file)).seal('x')
  assert.ok(!sealed.includes(newer))
})
