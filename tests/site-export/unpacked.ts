// An export of a site, made by the real command and unpacked by programs that are not ours.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { done, type RunOptions } from '../cli/run-waymark.ts'
import { filesBelow, newFolder } from '../helpers/folders.ts'

export const runTool = promisify(execFile)
export const without = (tool: string, ...args: string[]): false | string =>
  spawnSync(tool, args).status === 0 ? false : `${tool} is not installed`

/** Tests the zip, unpacks it, and counts what CSV, GeoJSON and JSON lines hold, by Python's own readers. */
const program = `
import csv, json, os, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
z.extractall(sys.argv[2])
counts = {}
for name in sorted(os.listdir(sys.argv[2])):
    path = os.path.join(sys.argv[2], name)
    if name.endswith('.csv'):
        with open(path, newline='', encoding='utf-8') as f: counts[name] = len(list(csv.DictReader(f, strict=True)))
    if name.endswith('.geojson'):
        with open(path, encoding='utf-8') as f: counts[name] = len(json.load(f)['features'])
    if name.endswith('.jsonl'):
        with open(path, encoding='utf-8') as f: counts[name] = len([json.loads(line) for line in f])
print(json.dumps(counts))
`

interface Manifest {
  readonly format: string
  readonly scope: string
  readonly waymark: string
  readonly counts: Readonly<Record<string, number>>
  readonly missing: number
  readonly documents: readonly {
    readonly name: string
    readonly bytes: number
    readonly sha256: string
    readonly rows: number
  }[]
  readonly sums: { readonly sha256: string; readonly files: number }
}

interface Feature {
  readonly geometry: { readonly coordinates: readonly [number, number] } | null
  readonly properties: Readonly<Record<string, unknown>> & {
    readonly imageID: number
    readonly file: string | null
  }
}

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Exports with the real command, and unpacks it with the tools of others. */
export async function exportSite(t: TestContext, here: RunOptions, ...args: string[]) {
  const folder = await newFolder(t)
  const file = path.join(folder, 'site.zip')
  const document = (await done(['export', '--site', file, ...args], here)) as Record<string, unknown>
  const out = path.join(folder, 'out')
  await runTool('unzip', ['-tqq', file])
  const { stdout } = await runTool('python3', ['-c', program, file, out])
  const manifest = JSON.parse(await readFile(path.join(out, 'manifest.json'), 'utf8')) as Manifest
  return {
    file,
    out,
    document,
    manifest,
    /** Rows as Python counts them. */
    rows: JSON.parse(stdout) as Record<string, number>,
    text: (name: string) => readFile(path.join(out, name), 'utf8'),
    bytes: (name: string) => readFile(path.join(out, name)),
    features: async () =>
      (JSON.parse(await readFile(path.join(out, 'images.geojson'), 'utf8')) as { features: Feature[] })
        .features,
  }
}

export type Exported = Awaited<ReturnType<typeof exportSite>>

/** Every file is in the sums, the sums are right, and the manifest tells of them. */
export async function assertSound({ out, manifest, document, rows, file }: Exported): Promise<void> {
  await runTool('sha256sum', ['--quiet', '--strict', '-c', 'SHA256SUMS'], { cwd: out })
  const sums = await readFile(path.join(out, 'SHA256SUMS'))
  assert.equal(sha256Of(sums), manifest.sums.sha256)
  const named = sums
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => line.slice(66))
  const files = (await filesBelow(out)).filter((name) => name !== 'manifest.json' && name !== 'SHA256SUMS')
  assert.deepEqual(named.toSorted(), files.toSorted())
  assert.equal(manifest.sums.files, files.length)
  for (const { name, bytes, sha256, rows: reported } of manifest.documents) {
    const content = await readFile(path.join(out, name))
    assert.deepEqual([content.length, sha256Of(content)], [bytes, sha256], name)
    if (reported > 0) assert.equal(rows[name], reported, name)
  }
  assert.equal(manifest.format, 'waymark-site-export')
  assert.deepEqual(document['counts'], manifest.counts)
  assert.equal(document['bytes'], (await stat(file)).size)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
}
