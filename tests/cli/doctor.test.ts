// waymark doctor: every setting with its value, and problems that would prevent a server from working.
import assert from 'node:assert/strict'
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, test } from 'node:test'
import { settings } from '../../src/settings/config.ts'
import { migrationNames } from '../database/database-suite.ts'
import { archiveOf, plainTile, tilesOf } from '../helpers/archives.ts'
import { newFolder } from '../helpers/folders.ts'
import { assertOneSentence, done, run } from './run-waymark.ts'

interface Report {
  readonly settings: readonly { variable: string; value: string; isDefault: boolean; help: string }[]
  readonly checks: readonly { name: string; ok: boolean; detail: string }[]
}

const failedOf = (report: unknown): string[] =>
  (report as Report).checks.filter(({ ok }) => !ok).map(({ name }) => name)

void describe('doctor', { concurrency: 2 }, () => {
  void test('on a fresh machine: every setting, no failure, and nothing is created', async (t) => {
    const dataDir = path.join(await newFolder(t), 'data')
    const report = (await done(['doctor'], { dataDir })) as Report
    const variables = Object.values(settings).map(({ variable }) => variable)
    assert.deepEqual(
      report.settings.map(({ variable }) => variable),
      variables,
    )
    const byName = new Map(report.settings.map((line) => [line.variable, line]))
    assert.deepEqual([byName.get('PORT')?.value, byName.get('PORT')?.isDefault], ['8080', true])
    assert.deepEqual([byName.get('DATA_DIR')?.value, byName.get('DATA_DIR')?.isDefault], [dataDir, false])
    const checks = [
      'node',
      'data-folder',
      'database',
      'photo-folder',
      'disk-space',
      'secret',
      'public-url',
      'web-app',
      'base-map',
      'backup',
    ]
    assert.deepEqual(
      report.checks.map(({ name, ok }) => [name, ok]),
      checks.map((name) => [name, true]),
    )
    assert.deepEqual(await readdir(path.dirname(dataDir)), [])
  })

  void test('lists pending migrations without applying them, and fails for a public URL without https', async (t) => {
    const dataDir = await newFolder(t)
    await writeFile(path.join(dataDir, 'waymark.sqlite'), '')
    const before = await run(['doctor', '--all'], {
      dataDir,
      settings: { HOST: '0.0.0.0', PUBLIC_URL: 'http://trails.example' },
    })
    assert.equal(before.exitCode, 2)
    const opens = /^✓ \S+ opens; the next start, or "waymark migrate", applies (.+)\.$/m
    assert.equal(opens.exec(before.stdout)?.[1], migrationNames.join(', '))
    assert.match(before.stdout, /^✗ PUBLIC_URL http:\/\/trails\.example is not https, /m)
    assert.match(before.stdout, /^DATA_DIR=\S+\n {4}Folder for/m)
    assert.match(before.stdout, /^PORT=8080 {2}\(default\)$/m)

    const migrated = await done(['migrate'], { dataDir })
    assert.deepEqual(migrated, { applied: migrationNames, schema: migrationNames.at(-1) })
    const settings = { HOST: '0.0.0.0', PUBLIC_URL: 'https://trails.example', DISK_FREE_WARNING_MB: '0' }
    const after = await run(['doctor', '--all'], { dataDir, settings })
    assert.match(after.stdout, /^✓ \S+ opens, and its schema is up to date\.$/m)
    assert.doesNotMatch(after.stdout, /^[!✗]/m)
  })

  void test('a setting under its former name is printed under the new one, with a warning', async (t) => {
    const settings = { EDITS: 'pend', DISK_LOW: '7' }
    const { stdout, exitCode } = await run(['doctor', '--all'], { dataDir: await newFolder(t), settings })
    assert.equal(exitCode, 0)
    assert.match(stdout, /^EDITED_PHOTOS=require-review$/m)
    assert.match(stdout, /^DISK_FREE_WARNING_MB=7$/m)
    assert.match(stdout, /^! EDITS is now called EDITED_PHOTOS: set EDITED_PHOTOS=require-review instead/m)
    assert.match(stdout, /^! DISK_LOW is now called DISK_FREE_WARNING_MB: set /m)
    assert.doesNotMatch(stdout, /^(EDITS|DISK_LOW)=/m)
  })

  void test('says if a map style cannot be read, and why', async (t) => {
    const settings = { MAP_STYLE_URL: 'https://127.0.0.1:1/style.json' }
    const { stdout, exitCode } = await run(['doctor', '--all'], { dataDir: await newFolder(t), settings })
    assert.equal(exitCode, 0)
    assert.match(stdout, /^! The map style https:\/\/127\.0\.0\.1:1\/style\.json could not be checked/m)
  })

  void test('says whether the base map exists and is valid', async (t) => {
    const dataDir = await newFolder(t)
    const file = path.join(dataDir, 'base.pmtiles')
    const look = async (bytes: string | Buffer | undefined) => {
      if (bytes !== undefined) await writeFile(file, bytes)
      const { stdout, exitCode } = await run(['doctor', '--all'], {
        dataDir,
        settings: { MAP_PMTILES: file },
      })
      return [exitCode, stdout.split('\n').find((line) => /^[✓!✗] .*pmtiles/.test(line))]
    }
    assert.deepEqual(await look(undefined), [
      2,
      `✗ There is no map file at ${file}: maps show country outlines.`,
    ])
    assert.deepEqual(await look('PMTile'), [
      2,
      `✗ The map file ${file} cannot be shown: It is not a PMTiles archive.`,
    ])
    assert.deepEqual(await look(archiveOf(tilesOf(0, 1, plainTile))), [
      0,
      `✓ Maps show the map file ${file}.`,
    ])
  })

  void test('names an invalid variable, still prints the settings, and hides a password', async (t) => {
    const dataDir = await newFolder(t)
    const wrong = { DATABASE_URL: 'mysql://waymark:hunter2@db.example/waymark' }
    const { exitCode, stdout, stderr } = await run(['doctor', '--json'], { dataDir, settings: wrong })
    assert.equal(exitCode, 1)
    assertOneSentence(stderr)
    assert.match(stderr, /^DATABASE_URL must/)
    assert.deepEqual(failedOf(JSON.parse(stdout)), ['settings'])
    assert.match(stdout, /mysql:\/\/waymark:…@db\.example/)
    assert.ok(!stdout.includes('hunter2'))
  })

  void test('fails for what is broken: a secret others can read, an invalid database, a folder that is a file', async (t) => {
    const dataDir = await newFolder(t)
    await writeFile(path.join(dataDir, 'secret'), `${'s'.repeat(43)}\n`)
    await chmod(path.join(dataDir, 'secret'), 0o644)
    await mkdir(path.join(dataDir, 'waymark.sqlite'))
    await writeFile(path.join(dataDir, 'blobs'), '')
    const { exitCode, stdout, stderr } = await run(['doctor'], { dataDir })
    assert.deepEqual([exitCode, stderr], [2, ''])
    const failures = stdout.split('\n').filter((line) => line.startsWith('✗'))
    const expected = [/waymark\.sqlite|database/, /blobs/, /SECRET_FILE .*chmod 600/]
    for (const [index, sentence] of expected.entries()) assert.match(failures[index] ?? '', sentence)
    assert.match(stdout, /^✗[^]*\nEverything else is well\. Details: node bin\/waymark\.cjs doctor --all\n$/)
  })
})
