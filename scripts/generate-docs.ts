// `npm run docs`: regenerates the generated blocks of the docs and README, and docs/openapi.json. With `-- --release`,
// that document becomes the baseline for breaking changes.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createApp } from '../src/app.ts'
import { readConfig } from '../src/settings/config.ts'
import { openInstallation } from '../src/installation.ts'
import { measuredPairs } from './contrast.ts'
import { docsBlocks, fillBlocks, type BlockSources, type Documented } from './docs-blocks.ts'
import { markReleased, snapshotFile, snapshotText } from './openapi-snapshot.ts'

const root = path.resolve(import.meta.dirname, '..')

/** Reads an app that is built for this purpose and never listens. */
async function sources(): Promise<BlockSources> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-docs-'))
  const installation = await openInstallation(readConfig({ DATA_DIR: folder }))
  try {
    const app = await createApp(installation)
    const documented = app.server.swagger() as Documented
    await app.close()
    return { documented, metrics: app.metrics.described, contrast: await measuredPairs() }
  } finally {
    await installation.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Files with an outdated block, or outdated as a whole, with their correct text. */
export async function staleDocs(): Promise<Map<string, string>> {
  const inputs = await sources()
  const blocks = docsBlocks(inputs)
  const inDocs = await readdir(path.join(root, 'docs'))
  const files = ['README.md', ...inDocs.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)]
  const stale = new Map<string, string>()
  for (const file of files) {
    const text = await readFile(path.join(root, file), 'utf8')
    const filled = fillBlocks(text, blocks)
    if (filled !== text) stale.set(file, filled)
  }
  const snapshot = snapshotText(inputs.documented)
  const committed = await readFile(path.join(root, snapshotFile), 'utf8').catch(() => '')
  if (committed !== snapshot) stale.set(snapshotFile, snapshot)
  return stale
}

if (import.meta.main) {
  const stale = await staleDocs()
  for (const [file, text] of stale) {
    await writeFile(path.join(root, file), text)
    console.log(`wrote ${file}`)
  }
  if (process.argv.includes('--release')) {
    await markReleased()
    console.log('this is the released document now')
  }
}
