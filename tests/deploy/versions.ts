// Packages for upgrade and rollback: that of this checkout, and two possible next versions. Only their schema differs.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { root } from './files.ts'

const run = promisify(execFile)

/** Adds, so that the previous version still works. */
const added = '9000-added'
/** Removes, so that it does not. */
const removed = '9001-removed'

const migrations = {
  [added]: `export const up = (db) => db.schema.createTable('later').addColumn('id', 'integer').execute()\n`,
  [removed]: `export const up = (db) => db.schema.dropTable('later').execute()\n`,
}

async function replaceIn(file: string, old: string | RegExp, text: string): Promise<void> {
  const before = await readFile(file, 'utf8')
  const after = before.replace(old, text)
  assert.notEqual(after, before, file)
  await writeFile(file, after)
}

async function build(tree: string, file: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true })
  await run('dpkg-deb', ['--root-owner-group', '-Znone', '--build', tree, file])
}

export interface Versions {
  /** The package of this checkout. */
  readonly present: string
  /** Of the next version, with additions to the schema only. */
  readonly adds: string
  /** Of the next version, with removals. */
  readonly removes: string
}

/**
 * Builds the packages below a folder.
 * @returns their relative paths.
 */
export async function makeVersions(folder: string, version: string, next: string): Promise<Versions> {
  const words = ['scripts/package.ts', '--with-changes', '--only-deb']
  await run(process.execPath, words, { cwd: root, maxBuffer: 2 ** 24 })
  const present = `waymark_${version}_amd64.deb`
  await copyFile(path.join(root, 'dist/package', present), path.join(folder, present))
  const tree = path.join(folder, 'tree')
  await run('dpkg-deb', ['-R', path.join(folder, present), tree])
  await replaceIn(path.join(tree, 'DEBIAN/control'), `Version: ${version}`, `Version: ${next}`)
  const program = path.join(tree, 'opt/waymark')
  await replaceIn(path.join(program, 'package.json'), `"version": "${version}"`, `"version": "${next}"`)
  const place = path.join(program, 'src/database/migrations')
  const adds = `waymark_${next}_amd64.deb`
  await writeFile(path.join(place, `${added}.ts`), migrations[added])
  await build(tree, path.join(folder, adds))
  const removes = `removes/${adds}`
  await writeFile(path.join(place, `${removed}.ts`), migrations[removed])
  const count = (await readdir(place)).filter((name) => /^\d{4}-.+\.ts$/.test(name)).length
  await replaceIn(
    path.join(program, 'src/database/migrate.ts'),
    /const neededMigrations = \d+/,
    `const neededMigrations = ${count}`,
  )
  await build(tree, path.join(folder, removes))
  await rm(tree, { recursive: true })
  return { present, adds, removes }
}
