// What is published as waymark/client: plain JavaScript that needs no package, with its types beside it.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, symlink } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import packageFile from '../../package.json' with { type: 'json' }
import { newFolder } from '../helpers/folders.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { gpxOf, walkNorth } from '../shared/placing/placing-helpers.ts'

const root = path.resolve(import.meta.dirname, '../..')
const run = promisify(execFile)

void test('the emitted SDK speaks to a server without types to strip and without node_modules', async (t) => {
  const folder = await newFolder(t)
  const waymark = await startWaymark()
  t.after(() => waymark.close())
  const { token } = await waymark.addPerson({ name: 'Ana' })
  await run(path.join(root, 'node_modules/.bin/tsc'), ['-p', 'client', '--outDir', folder], { cwd: root })
  const { types, default: entry } = packageFile.exports['./client']
  const emitted = (file: string): string => path.join(folder, path.relative('dist/sdk', file))
  assert.match(await readFile(emitted(types), 'utf8'), /createWaymark/)
  const script = `
    const { createWaymark } = await import(process.argv[1])
    const waymark = createWaymark({ baseUrl: process.argv[2], credential: { bearer: process.argv[3] } })
    console.log((await waymark.me.get()).displayName)`
  const args = [
    '--no-strip-types',
    '--input-type=module',
    '--eval',
    script,
    emitted(entry),
    waymark.url,
    token,
  ]
  const { stdout } = await run(process.execPath, args, { cwd: folder })
  assert.equal(stdout, 'Ana\n')
})

void test('waymark/placing is emitted beside it, and needs but the packages of the service', async (t) => {
  const folder = await newFolder(t)
  await run(path.join(root, 'node_modules/.bin/tsc'), ['-p', 'client', '--outDir', folder], { cwd: root })
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  const { types, default: entry } = packageFile.exports['./placing']
  const emitted = (file: string): string => path.join(folder, path.relative('dist/sdk', file))
  assert.match(await readFile(emitted(types), 'utf8'), /placeOnTrack/)
  const script = `
    const { placeOnTrack } = await import(process.argv[1])
    const photo = { localTime: '2026-05-14T14:00:10', hasPosition: false }
    const { value } = await placeOnTrack([photo], process.argv[2])
    console.log(value.timeZone, value.photos[0].details.positionSource)`
  const gpx = gpxOf(walkNorth(Date.UTC(2026, 4, 14, 12), 60))
  const args = ['--no-strip-types', '--input-type=module', '--eval', script, emitted(entry), gpx]
  const { stdout } = await run(process.execPath, args, { cwd: folder })
  assert.equal(stdout, 'Europe/Zurich track\n')
})
