// Commands that messages name have --env-file if it was given: without it they would work on another installation.
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { newFolder } from '../helpers/folders.ts'
import { run } from './run-waymark.ts'

void test('doctor, keys create and read-only name commands with the --env-file that was given', async (t) => {
  const folder = await newFolder(t)
  const dataDir = path.join(folder, 'data')
  const file = path.join(folder, "Bo's site.env")
  await mkdir(dataDir)
  await writeFile(file, 'PUBLIC_URL=http://localhost:8080\n')
  const same = ` --env-file '${file.replace("'", String.raw`'\''`)}'`
  const options = { dataDir }
  const as = async (...words: string[]) => {
    const { exitCode, stdout, stderr } = await run([...words, '--env-file', file], options)
    assert.deepEqual([exitCode, stderr], [0, ''])
    return stdout
  }
  const account = ['accounts', 'create', '--id', '42', '--name', 'Ann', '--email', 'ann@trails.example']
  await as(...account)
  const short = await as('doctor')
  assert.ok(short.endsWith(`Details: node bin/waymark.cjs doctor --all${same}\n`), short)
  const all = await as('doctor', '--all')
  assert.ok(all.includes(`make backups with "waymark backup${same}"`), all)
  const made = await as('keys', 'create', '--account', '42', '--name', 'Site')
  assert.ok(made.includes(`with "waymark keys list${same}" and "waymark keys revoke${same}"`), made)
  const closed = await as('read-only', 'on')
  assert.ok(closed.includes(`turn it off with "waymark read-only off${same}"`), closed)

  const without = await run(['doctor'], options)
  assert.match(without.stdout, /doctor --all\n$/)
})
