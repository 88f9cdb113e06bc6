// Checks that everything acknowledged is intact, and counts the leftovers of a crash.
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { contentOf, isRemovedName, nameIn, originalKey } from '../../../src/images/storage/blob-keys.ts'
import type { Db } from '../../../src/database/database.ts'
import { createIntegrity } from '../../../src/images/storage/integrity.ts'
import { rebuildStored } from '../../../src/images/storage/originals.ts'
import type { Blobs } from '../../../src/storage/port.ts'
import { trailId, withInstallation } from './installation.ts'
import type { Acknowledged } from './load.ts'
import { sha256Of } from './pictures.ts'
import { runWaymark } from './server.ts'

export interface Store {
  /** Of a file store; for other stores, responses are checked instead. */
  readonly dataDir?: string
  readonly url: string
  readonly token: string
}

const keptFile = (dataDir: string, key: string): string => path.join(dataDir, 'blobs', 'kept', key)

/** Read-only access to a running server's files. */
const filesOf = (dataDir: string): Pick<Blobs, 'open'> => ({
  open: async (key) => {
    const bytes = await readFile(keptFile(dataDir, key)).catch(() => undefined)
    return (
      bytes && {
        bytes: bytes.length,
        stream: (start, end) => Readable.from([bytes.subarray(start, end + 1)]),
        close: () => Promise.resolve(),
      }
    )
  },
})

/** The stored original, in either form. */
const originalIn = async (dataDir: string, sha256: string): Promise<Buffer | undefined> =>
  (await readFile(keptFile(dataDir, originalKey(sha256))).catch(() => undefined)) ??
  rebuildStored(filesOf(dataDir), sha256).catch(() => undefined)

/** The fault of an acknowledged upload; undefined if its id works, and original and size lg equal the sent bytes. */
async function faultOf({ dataDir, url, token }: Store, one: Acknowledged): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${token}` }
  const details = await fetch(`${url}/Trails/${trailId}/Images/${one.imageId}`, { headers })
  await details.arrayBuffer()
  if (details.status !== 200) return `image ${one.imageId}: its details answer ${details.status}`
  if (dataDir !== undefined) {
    const original = await originalIn(dataDir, one.sha256)
    if (!original) return `image ${one.imageId}: its original is missing`
    if (sha256Of(original) !== one.sha256) return `image ${one.imageId}: its original has changed`
  }
  const view = await fetch(`${url}/ImageHandler?id=${one.imageId}`, { headers })
  const large = new Uint8Array(await view.arrayBuffer())
  // These pictures contain nothing to remove, so size lg equals the upload.
  if (view.status !== 200 || sha256Of(large) !== one.sha256)
    return `image ${one.imageId}: size lg is not what was sent (${view.status})`
  return undefined
}

const atOnce = 8

/** A sentence for each acknowledged upload that is lost or changed. */
export async function findLost(store: Store, acknowledged: readonly Acknowledged[]): Promise<string[]> {
  const lost: string[] = []
  const left = [...acknowledged]
  const work = async (): Promise<void> => {
    for (let one = left.pop(); one !== undefined; one = left.pop()) {
      const fault = await faultOf(store, one)
      if (fault !== undefined) lost.push(fault)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return lost
}

/** Ids that appear twice in the ledger. */
export function repeatedIds(acknowledged: readonly Acknowledged[]): number[] {
  const seen = new Set<number>()
  return acknowledged.map(({ imageId }) => imageId).filter((id) => seen.has(id) || !seen.add(id))
}

/** Problems found by `waymark check`: the database, and the size of every original. */
export const findProblems = (dataDir: string): Promise<string[]> =>
  withInstallation(dataDir, async ({ database, blobs }) => {
    const problems: string[] = []
    await createIntegrity({ database, blobs }).check('lengths', (finding) => {
      if (finding.severity === 'problem') problems.push(finding.detail)
    })
    return problems
  })

/** Problems found by `waymark check --store --json`, run as an operator would. */
export async function findProblemsInStore(dataDir: string): Promise<string[]> {
  const { code, stdout, stderr } = await runWaymark(['check', '--store', '--json'], { dataDir })
  const { ok, problems } = JSON.parse(stdout) as { ok: boolean; problems: { detail: string }[] }
  if (ok && code === 0) return []
  return [`waymark check ended with ${code}: ${stderr}`, ...problems.map(({ detail }) => detail)]
}

export interface Leftovers {
  readonly temporaryFiles: number
  /** Blobs of content without an image. */
  readonly unreferencedBlobs: number
  /** Images whose original is neither stored nor rebuildable; there must be none. */
  readonly rowsWithoutBlob: number
  readonly images: number
}

async function namesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
}

const imagesOf = (db: Db) => db.selectFrom('image').select(['id', 'sha256']).execute()

/** Counts leftovers. Call it while nothing is being uploaded. */
export async function countLeftovers(dataDir: string): Promise<Leftovers> {
  const images = await withInstallation(dataDir, ({ database }) => imagesOf(database.db))
  const shown = new Set(images.map(({ sha256 }) => sha256))
  const kept = await namesBelow(path.join(dataDir, 'blobs', 'kept'))
  const contentsWith = (isWanted: (name: string | undefined) => boolean) =>
    new Set(kept.filter((file) => isWanted(nameIn(file))).map((file) => contentOf(file)))
  const originals = contentsWith((name) => name === undefined)
  const large = contentsWith((name) => name === 'lg')
  const removed = contentsWith((name) => name !== undefined && isRemovedName(name))
  const hasOriginal = (sha256: string): boolean =>
    originals.has(sha256) || (large.has(sha256) && removed.has(sha256))
  return {
    temporaryFiles: (await namesBelow(path.join(dataDir, 'blobs', 'tmp'))).length,
    unreferencedBlobs: kept.filter((name) => !shown.has(contentOf(name) ?? '')).length,
    rowsWithoutBlob: images.filter(({ sha256 }) => !hasOriginal(sha256)).length,
    images: images.length,
  }
}
