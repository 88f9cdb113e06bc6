// When the web app is built, and that a failed build never destroys the previous one.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { buildWeb, type Outcome } from '../../scripts/build-web.ts'
import { parentOfFolders } from '../helpers/folders.ts'

void describe('a build of the web app', () => {
  let root: string
  let said: string[]
  let made: number

  beforeEach(async () => {
    root = await mkdtemp(path.join(parentOfFolders(), 'waymark-build-'))
    said = []
    made = 0
    await mkdir(path.join(root, 'web/pages'), { recursive: true })
    await writeFile(path.join(root, 'web/pages/page.tsx'), 'one')
    await writeFile(path.join(root, 'package-lock.json'), '{}')
  })
  afterEach(async () => {
    await rm(root, { recursive: true, force: true })
  })

  const change = (text: string, file = 'web/pages/page.tsx') => writeFile(path.join(root, file), text)

  /** Replaces Vite: a file named after the source. */
  async function make(_root: string, folder: string): Promise<void> {
    made += 1
    await mkdir(path.join(folder, 'app'), { recursive: true })
    const text = await readFile(path.join(root, 'web/pages/page.tsx'), 'utf8')
    await writeFile(path.join(folder, 'app', `${text}.js`), text)
    await writeFile(path.join(folder, 'app', 'always.js'), text)
  }

  const build = (how = make): Promise<Outcome> =>
    buildWeb({ root, say: (sentence) => void said.push(sentence), make: how })
  const files = () => readdir(path.join(root, 'dist/web/app')).then((names) => names.toSorted())
  const beside = () => readdir(path.join(root, 'dist'))

  it('runs if the app is older than its sources, and not again', async () => {
    assert.equal(await build(), 'built')
    assert.equal(await build(), 'fresh')
    assert.equal(made, 1)
    assert.match(said.join('\n'), /^Building the web app …\nBuilt the web app in \d+\.\d s\.$/)
    await change('{"a":1}', 'package-lock.json')
    assert.equal(await build(), 'built')
    await change('new', 'web/pages/other.tsx')
    assert.equal(await build(), 'built')
    await rm(path.join(root, 'web/pages/other.tsx'))
    assert.equal(await build(), 'built')
    assert.equal(await build(), 'fresh')
    assert.deepEqual(await beside(), ['web'])
  })

  it('runs again for a guide in the app, and for no other file in docs/', async () => {
    await mkdir(path.join(root, 'web/pages/docs'))
    await mkdir(path.join(root, 'docs/decisions'), { recursive: true })
    await change("export const guideNames = ['backup']", 'web/pages/docs/guide-list.ts')
    await change('one', 'docs/backup.md')
    assert.equal(await build(), 'built')
    await change('new', 'docs/decisions/0001.md')
    await change('new', 'docs/glossary.md')
    assert.equal(await build(), 'fresh')
    await change('two', 'docs/backup.md')
    assert.equal(await build(), 'built')
  })

  it('removes what a killed build has left, and not what another build is making', async () => {
    const { pid } = spawnSync('true') // a process that has ended
    await mkdir(path.join(root, `dist/.web-${pid}-abc/web`), { recursive: true })
    await mkdir(path.join(root, 'dist/.web-xYz123/web'), { recursive: true }) // of a version before 0.3
    await mkdir(path.join(root, `dist/.web-${process.ppid}-abc`))
    assert.equal(await build(), 'built')
    assert.deepEqual(await beside(), [`.web-${process.ppid}-abc`, 'web'])
  })

  it('keeps the files of the previous build for open pages, and no older ones', async () => {
    for (const text of ['one', 'two', 'three']) {
      await change(text)
      assert.equal(await build(), 'built')
    }
    assert.deepEqual(await files(), ['always.js', 'three.js', 'two.js'])
    assert.equal(await readFile(path.join(root, 'dist/web/app/always.js'), 'utf8'), 'three')
  })

  it('that fails leaves the existing app in place, and says why in one sentence', async () => {
    assert.equal(await build(), 'built')
    await change('two')
    said = []
    const fail = async (_root: string, folder: string): Promise<void> => {
      await mkdir(folder)
      throw new Error(
        'Build failed with 1 error:\n\n\u001b[31mpage.tsx: Unexpected token\u001b[0m\n  at line 1',
      )
    }
    assert.equal(await build(fail), 'failed')
    assert.equal(
      said.at(-1),
      'The web app could not be built, so what is there is served: page.tsx: Unexpected token',
    )
    assert.deepEqual(await files(), ['always.js', 'one.js'])
    assert.deepEqual(await beside(), ['web'])
    assert.equal(await build(), 'built')
  })

  it('started several times at once leaves one complete app', async () => {
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => build()))
    assert.deepEqual(new Set(outcomes), new Set(['built']))
    assert.deepEqual(await files(), ['always.js', 'one.js'])
    assert.deepEqual(await beside(), ['web'])
    assert.equal(await build(), 'fresh')
  })

  it('is skipped if there are no sources, as in a package built elsewhere', async () => {
    await rm(path.join(root, 'web'), { recursive: true })
    assert.equal(await build(), 'left')
    assert.deepEqual(said, [])
  })

  it('is skipped if the folder is not writable', async () => {
    assert.equal(await build(), 'built')
    await change('two')
    const forbid = async (): Promise<void> => {
      throw Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' })
    }
    assert.equal(await build(forbid), 'left')
    assert.match(said.at(-1) ?? '', /dist\/ cannot be written: what is there is served\.$/)
    assert.deepEqual(await files(), ['always.js', 'one.js'])
  })

  it('replaces an app whose stamp is damaged', async () => {
    assert.equal(await build(), 'built')
    await writeFile(path.join(root, 'dist/web/.stamp.json'), '{')
    assert.equal(await build(), 'built')
  })
})
