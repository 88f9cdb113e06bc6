// The systemd unit: its program exists, its settings are valid, and systemd reports nothing.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { readConfig } from '../../src/settings/config.ts'
import { readSettingsText, standardSettingsFile } from '../../src/settings/settings-file.ts'
import { newFolder } from '../helpers/folders.ts'
import { isSetting, read, root } from './files.ts'

const run = promisify(execFile)
const unit = 'deploy/systemd/waymark.service'
const skip = spawnSync('systemd-analyze', ['--version']).status !== 0 && 'systemd-analyze is not installed'

/** systemd's exposure score, from 0 to 10; a service without restrictions has 9.6. */
const maxExposure = 2

const valuesOf = (text: string, key: string): string[] =>
  [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value)

void test('everything it starts is in the checkout, and every variable that it sets is a setting', async () => {
  const text = await read(unit)
  assert.deepEqual(valuesOf(text, 'ExecStart'), ['/usr/bin/waymark serve'])
  assert.deepEqual(valuesOf(text, 'EnvironmentFile'), [standardSettingsFile])
  const [page = ''] = valuesOf(text, 'Documentation')
  assert.ok(existsSync(path.join(root, page.replace('file:///opt/waymark/', ''))), page)
  for (const pair of valuesOf(text, 'Environment')) assert.ok(isSetting(pair.split('=')[0] ?? ''), pair)
  const { DATA_DIR: dataDir, ...others } = readSettingsText(await read('deploy/systemd/waymark.env'), 'it')
  assert.equal(dataDir, `/var/lib/${valuesOf(text, 'StateDirectory')[0]}`)
  for (const variable of Object.keys(others)) assert.ok(isSetting(variable), variable)
})

void test('commented-out lines of its settings file are settings too, and valid', async () => {
  const text = (await read('deploy/systemd/waymark.env')).replaceAll(/^#(?=[A-Z_]+=)/gm, '')
  const settings = readSettingsText(text, 'it')
  assert.ok(Object.keys(settings).length > 8)
  for (const variable of Object.keys(settings)) assert.ok(isSetting(variable), variable)
  const { backupSchedule, backupPlace, backupKeep } = readConfig(settings)
  assert.deepEqual([backupSchedule, backupKeep], ['15 3 * * *', 14])
  assert.deepEqual(backupPlace, { store: 'files', folder: '/var/backups/waymark' })
})

void test('it may take longer to stop than requests in progress', async () => {
  const [seconds = ''] = valuesOf(await read(unit), 'TimeoutStopSec')
  assert.ok(Number(seconds) > readConfig({}).stopGraceSeconds)
})

void test('systemd finds no fault in it, and a low exposure', { skip }, async (t) => {
  const folder = await newFolder(t)
  const file = path.join(folder, 'waymark.service')
  // The same unit for programs that are on this machine.
  await writeFile(
    file,
    (await read(unit))
      .replace('/usr/bin/waymark', path.join(root, 'bin/waymark'))
      .replaceAll('/opt/waymark', root),
  )
  const { stdout, stderr } = await run('systemd-analyze', ['verify', '--man=no', file])
  const about = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('waymark'))
  assert.deepEqual(about, [])
  const report = await run('systemd-analyze', ['security', '--offline=true', '--no-pager', file])
  const exposure = Number(/exposure level for waymark\.service: ([\d.]+)/.exec(report.stdout)?.[1])
  assert.ok(exposure <= maxExposure, `exposure ${exposure}`)
})
