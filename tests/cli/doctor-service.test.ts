// `waymark doctor` on the systemd service.
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, test } from 'node:test'
import { checkPublicUrl, checkWebApp, judgeUnit, readUnit } from '../../cli/doctor-service.ts'
import { describeSettings } from '../../src/settings/config.ts'
import { read } from '../deploy/files.ts'
import { newFolder } from '../helpers/folders.ts'
import { assertOneSentence, run, startServer } from './run-waymark.ts'

void describe('doctor, checks of the service', { concurrency: 2 }, () => {
  void test('fails without a web app, unless the next start builds it or it is turned off', async (t) => {
    const root = await newFolder(t)
    const look = () => checkWebApp({ webApp: 'on' }, root)
    assert.equal(look().level, 'failure')
    assert.match(look().detail, /^There is no web app in .*: install Waymark again, or set WEB_APP=off\.$/)
    await mkdir(path.join(root, 'web'))
    assert.equal(look().level, 'failure', 'npm ci --omit=dev')
    assert.match(look().detail, /: run "npm ci && npm run build" \(npm ci --omit=dev leaves out /)
    assert.equal(checkWebApp({ webApp: 'off' }, root).level, 'good')
    await mkdir(path.join(root, 'node_modules/vite'), { recursive: true })
    await writeFile(path.join(root, 'node_modules/vite/package.json'), '{}')
    assert.equal(look().level, 'warning')
    await mkdir(path.join(root, 'dist/web/.vite'), { recursive: true })
    await writeFile(path.join(root, 'dist/web/.vite/manifest.json'), '{}')
    assert.equal(look().level, 'good')
  })

  for (const [publicUrl, level] of [
    ['https://photos.trails.example', 'good'],
    ['http://127.0.0.1:8080', 'good'],
    ['http://localhost:8080', 'good'],
    ['http://[::1]:8080', 'good'],
    ['http://photos.trails.example', 'failure'],
    ['http://192.0.2.7:8080', 'failure'],
    ['http://localhost.example', 'failure'],
  ] as const)
    void test(`PUBLIC_URL ${publicUrl}: ${level}`, () => {
      assert.equal(checkPublicUrl({ publicUrl }).level, level)
    })

  void test('reads the first unit with the drop-ins of all folders in the order of their names, as systemd does', async (t) => {
    const root = await newFolder(t)
    const folders = ['etc', 'run', 'lib'].map((name) => path.join(root, name))
    const texts = {
      'run/waymark.service': 'first',
      'lib/waymark.service': 'second',
      'lib/waymark.service.d/10-a.conf': 'a',
      'etc/waymark.service.d/20-b.conf': 'b',
      'run/waymark.service.d/20-b.conf': 'hidden',
      'run/waymark.service.d/30-c.conf': 'c',
      'etc/waymark.service.d/40-d.txt': 'not a drop-in',
    }
    assert.equal(await readUnit(folders), undefined)
    for (const [file, text] of Object.entries(texts)) {
      await mkdir(path.dirname(path.join(root, file)), { recursive: true })
      await writeFile(path.join(root, file), text)
    }
    assert.equal(await readUnit(folders), 'first\na\nb\nc')
  })

  void test('fails if the unit and the commands have different settings', async () => {
    const unit = await read('deploy/systemd/waymark.service')
    const settingsFile = '/etc/waymark/waymark.env'
    const settings = describeSettings({ DATA_DIR: '/var/lib/waymark' })
    const judge = (more: string) => judgeUnit(`${unit}\n${more}`, { settingsFile, settings })
    assert.deepEqual([judge('').level, judge('[Service]\nEnvironment=NODE_ENV=x').level], ['good', 'good'])
    assert.equal(judge('Environment=DATA_DIR=/var/lib/waymark').level, 'good')
    assert.equal(judge(`EnvironmentFile=\nEnvironmentFile=${settingsFile}`).level, 'good')
    assert.equal(judge('Environment=DATA_DIR=/srv/waymark\nEnvironment=').level, 'good')
    const relative = path.relative('.', settingsFile)
    assert.equal(judgeUnit(unit, { settingsFile: relative, settings }).level, 'good', '--env-file')
    const cases = [
      ['Environment=DATA_DIR=/srv/waymark', /sets DATA_DIR=\/srv\/waymark, which commands do not see/],
      ['Environment=A=1 "SITE_NAME=Rim Trails"', /sets SITE_NAME=Rim Trails, /],
      ['Environment=SECRET_FILE=%d/secret', /sets SECRET_FILE=%d\/secret, /],
      ['EnvironmentFile=\nEnvironmentFile=/srv/w.env', /reads its settings from \/srv\/w\.env, and this/],
      ['EnvironmentFile=-/srv/waymark.env', /reads its settings from \/srv\/waymark\.env, and this command/],
    ] as const
    for (const [line, sentence] of cases) {
      const { level, detail } = judge(line)
      assert.equal(level, 'failure', line)
      assert.match(detail, sentence)
      assertOneSentence(`${detail}\n`)
    }
  })

  void test('prints no password of the unit, and none is a difference by itself', async () => {
    const unit = await read('deploy/systemd/waymark.service')
    const settingsFile = '/etc/waymark/waymark.env'
    const address = 'postgres://waymark:Geheimnis@db.example/waymark'
    const judge = (mine: string, theirs: string) =>
      judgeUnit(`${unit}\nEnvironment=DATABASE_URL=${theirs}`, {
        settingsFile,
        settings: describeSettings({ DATABASE_URL: mine }),
      })
    assert.equal(judge(address, address).level, 'good')
    const { level, detail } = judge('', address)
    assert.equal(level, 'failure')
    assert.match(detail, /sets DATABASE_URL=postgres:\/\/waymark:…@db\.example\/waymark, which/)
  })

  void test('says if the server was started with other settings, and fails if its photos or secret are elsewhere', async (t) => {
    const dataDir = await newFolder(t)
    const own = { PORT: '0', PUBLIC_URL: 'https://waymark.example' }
    const server = await startServer(t, { dataDir, settings: own })
    await server.stop()
    const doctor = (settings: Readonly<Record<string, string>>) => run(['doctor'], { dataDir, settings })
    const same = await doctor(own)
    assert.deepEqual([same.exitCode, same.stdout.split('.')[0]], [0, 'All is well'])
    const other = await doctor({ ...own, SITE_NAME: 'Rim Trails' })
    assert.equal(other.exitCode, 0)
    assert.match(other.stdout, /^! The server was last started with other values of SITE_NAME: if they have/)
    const elsewhere = await doctor({ ...own, BLOB_URL: `file:${dataDir}/photos`, SITE_NAME: 'Rim Trails' })
    assert.equal(elsewhere.exitCode, 2)
    assert.match(
      elsewhere.stdout,
      /^✗ The server was last started with other values of BLOB_URL, SITE_NAME: /,
    )
    const secretless = await doctor({ ...own, SECRET_FILE: path.join(dataDir, 'elsewhere') })
    assert.equal(secretless.exitCode, 2)
    assert.match(
      secretless.stdout,
      /^✗ SECRET_FILE \S+elsewhere does not exist, but the database was used with/,
    )
  })
})
