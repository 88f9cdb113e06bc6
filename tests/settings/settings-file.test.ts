// The file of settings: what may stand in it, that systemd reads the same, and what commands make of it.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { parseEnv, promisify } from 'node:util'
import { readSettingsText } from '../../src/settings/settings-file.ts'
import { assertOneSentence, run } from '../cli/run-waymark.ts'
import { newFolder } from '../helpers/folders.ts'

/** Reads files in the form of an EnvironmentFile, with the same code, and prints what they say. */
const systemd = '/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator'

const text = `# A comment
DATA_DIR=/var/lib/waymark
SITE_NAME='Rim "#1" Trails; a name'
MAIL_FROM="photos@trails.example"
TRUST_PROXY=127.0.0.1 ::1
  PORT=9090
SMTP_URL=smtps://user:p%23ss@mail.trails.example:465/?a=b&c=d
TRUSTED_ISSUERS=[{"issuer":"https://id.trails.example"}]
WEBHOOK_BACKOFF= 5 300
OTEL_SERVICE_NAME='ümlaut ✓'

`

const wanted = {
  DATA_DIR: '/var/lib/waymark',
  SITE_NAME: 'Rim "#1" Trails; a name',
  MAIL_FROM: 'photos@trails.example',
  TRUST_PROXY: '127.0.0.1 ::1',
  PORT: '9090',
  SMTP_URL: 'smtps://user:p%23ss@mail.trails.example:465/?a=b&c=d',
  TRUSTED_ISSUERS: '[{"issuer":"https://id.trails.example"}]',
  WEBHOOK_BACKOFF: '5 300',
  OTEL_SERVICE_NAME: 'ümlaut ✓',
}

void test('plain and quoted values are read', () => {
  assert.deepEqual({ ...readSettingsText(text, 'a.env') }, wanted)
  assert.deepEqual({ ...readSettingsText('SMTP_URL=\r\n', 'a.env') }, { SMTP_URL: '' })
})

void test('a byte order mark or another invisible character before a name is refused, since the setting would be lost', () => {
  for (const [line, before] of [
    [1, '\u{feff}'],
    [2, 'SITE_NAME=Trails\n\u{a0}'],
  ] as const)
    assert.throws(() => readSettingsText(`${before}PORT=9090\n`, 'a.env'), {
      message: `Line ${line} of a.env begins with an invisible character, such as a byte order mark: delete it.`,
    })
})

const skip = !existsSync(systemd) && 'systemd is not installed'

void test('systemd reads the same values', { skip }, async (t) => {
  const folder = await newFolder(t)
  await mkdir(path.join(folder, 'environment.d'))
  await writeFile(path.join(folder, 'environment.d/a.conf'), text)
  const env = { XDG_CONFIG_HOME: folder, HOME: folder, PATH: '/nowhere' }
  const { stdout, stderr } = await promisify(execFile)(systemd, { env })
  const read = Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)])
      // It prints what needs it in quotes, in which it escapes quotes.
      .map(([name = '', value = '']) => [
        name,
        value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value,
      ]),
  ) as Record<string, string>
  const ours = Object.fromEntries(Object.keys(wanted).map((name) => [name, read[name]]))
  assert.deepEqual(ours, wanted, stderr)
})

for (const [line, why] of [
  ['SITE_NAME=Rim #1 Trails', 'Node ends the value at #'],
  ['SITE_NAME="Rim \\"1\\" Trails"', 'systemd alone knows the backslash'],
  ["SITE_NAME='Rim' Trails", 'systemd joins them'],
  ["SITE_NAME='Rim", 'the quote is not closed'],
  ['export SITE_NAME=Rim', 'Node alone knows export'],
  ['; a comment', 'systemd alone knows it'],
  ['SITE_NAME `Rim`', 'it has no ='],
] as const)
  void test(`an ambiguous line is refused: ${why}`, () => {
    const wrong = { name: 'RangeError', message: /^Line 2 of a\.env is not NAME=value: put .*\.$/ }
    assert.throws(() => readSettingsText(`PORT=1\n${line}\n`, 'a.env'), wrong)
  })

void test('Node would silently read one of them differently', () => {
  assert.equal(parseEnv('SITE_NAME=Rim #1 Trails')['SITE_NAME'], 'Rim')
})

void test('--env-file names the file for any command, and environment variables take precedence', async (t) => {
  const folder = await newFolder(t)
  const file = path.join(folder, 'a.env')
  await writeFile(file, "SITE_NAME='Rim #1'\nPORT=9090\nDATA_DIR=/nonexistent\n")
  for (const args of [
    ['--env-file', file, 'doctor', '--json'],
    ['doctor', '--json', `--env-file=${file}`],
  ]) {
    const { stdout, exitCode } = await run(args, { dataDir: folder, settings: { PORT: '7070' } })
    assert.equal(exitCode, 0)
    const { settings } = JSON.parse(stdout) as { settings: { variable: string; value: string }[] }
    const valueOf = (name: string) => settings.find(({ variable }) => variable === name)?.value
    assert.deepEqual([valueOf('SITE_NAME'), valueOf('PORT'), valueOf('DATA_DIR')], ['Rim #1', '7070', folder])
  }
})

void test('a file with an invalid line is reported in one sentence with exit code 1, for every kind of command', async (t) => {
  const dataDir = await newFolder(t)
  const file = path.join(dataDir, 'a.env')
  await writeFile(file, 'PORT=1\nSITE_NAME=Rim #1\n')
  for (const args of [['keys', 'list', '--account', '1'], ['review']]) {
    const { exitCode, stderr, stdout } = await run(['--env-file', file, ...args], { dataDir })
    assert.deepEqual([exitCode, stdout], [1, ''])
    assertOneSentence(stderr)
    assert.match(stderr, /^Line 2 of \S+a\.env is not NAME=value/)
  }
})
