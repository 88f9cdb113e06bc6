// Backups of a store in full use, and kills of backup and restore (trust 20). By hand: node tests/faults/backup.ts
// --backups 20 --kills 100
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createGarbageCollection } from '../../src/images/storage/garbage-collection.ts'
import { killBackups, killRestores } from './backup-kills.ts'
import { prepare, tokenOf, withInstallation } from './harness/installation.ts'
import { startLoad, type Acknowledged, type Load } from './harness/load.ts'
import { runWaymark, startServer, until, type Server } from './harness/server.ts'
import { count, finish, summaryOf } from './harness/summary.ts'
import { findLost, findProblemsInStore } from './harness/verify.ts'

const twoDaysMs = 2 * 24 * 3_600_000

/** The load during backups: uploads, reviews, permanent deletions, and a garbage collection with a clock two days ahead. */
export interface Use {
  readonly load: Load
  readonly deleted: ReadonlySet<number>
  readonly reviews: () => number
  readonly swept: () => number
  stop(): Promise<void>
}

async function startUse(dataDir: string, { url }: Server, token: string): Promise<Use> {
  const load = startLoad({ url, token, clients: 16, firstSeed: 1 })
  const deleted = new Set<number>()
  const stopping = new AbortController()
  let [reviews, swept] = [0, 0]
  const anyImage = (): Acknowledged | undefined =>
    load.acknowledged[Math.floor(Math.random() * load.acknowledged.length)]

  async function review(): Promise<void> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    while (!stopping.signal.aborted) {
      await pause(5)
      const decision = Math.random() < 0.8 ? 'approve' : 'remove'
      const address = `${url}/v2/images/${anyImage()?.imageId ?? 0}/review`
      const answer = await fetch(address, { method: 'POST', headers, body: JSON.stringify({ decision }) })
      await answer.arrayBuffer()
      if (answer.status === 200) reviews += 1
    }
  }

  const deleteAndSweep = (): Promise<void> =>
    withInstallation(dataDir, async ({ database: { db }, blobs }) => {
      const sweep = createGarbageCollection(db, blobs, () => Date.now() + twoDaysMs)
      while (!stopping.signal.aborted) {
        await pause(50)
        const image = anyImage()
        if (image && !deleted.has(image.imageId)) {
          deleted.add(image.imageId)
          await db.transaction().execute(async (tx) => {
            await tx.deleteFrom('image_history').where('image_id', '=', image.imageId).execute()
            await tx.deleteFrom('image').where('id', '=', image.imageId).execute()
          })
        }
        swept += (await sweep.run()).blobs
      }
    })

  const running = [review(), deleteAndSweep()]
  return {
    load,
    deleted,
    reviews: () => reviews,
    swept: () => swept,
    stop: async () => {
      stopping.abort()
      await load.stop()
      await Promise.all(running)
    },
  }
}

export type MakeBackup = (file: string, use: Use) => Promise<void>

export interface LoadReport {
  readonly backups: number
  readonly acknowledged: number
  readonly reviews: number
  readonly swept: number
  /** Uploads acknowledged before a backup began and not deleted before it ended, over all backups. */
  readonly owed: number
  /** A sentence for each upload missing after a restore, and for each restore or check with findings. */
  readonly faults: readonly string[]
  readonly seconds: readonly number[]
}

/** Restores into a separate folder and checks everything. */
async function faultsOf(folder: string, file: string, authorization: string, owed: readonly Acknowledged[]) {
  const dataDir = path.join(folder, `restored-${path.basename(file)}`)
  const restored = await runWaymark(['restore', file, '--json'], { dataDir })
  if (restored.code !== 0) return [`restore ended with ${restored.code}: ${restored.stderr}`]
  const problems = await findProblemsInStore(dataDir)
  const server = await startServer({ dataDir })
  try {
    const token = await tokenOf(server.url, authorization)
    return [...problems, ...(await findLost({ dataDir, url: server.url, token }, owed))]
  } finally {
    await server.end('SIGKILL')
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Makes backups during the load, then restores each. */
export async function backUpUnderLoad(
  folder: string,
  { backups, makeBackup }: { readonly backups: number; readonly makeBackup?: MakeBackup },
): Promise<LoadReport> {
  const dataDir = path.join(folder, 'data')
  const authorization = await prepare(dataDir)
  const server = await startServer({ dataDir })
  const made: { file: string; owed: Acknowledged[] }[] = []
  const seconds: number[] = []
  const faults: string[] = []

  async function backUp(use: Use, number: number): Promise<void> {
    const soFar = use.load.acknowledged.length
    await until(() => use.load.acknowledged.length >= soFar + 10, '10 more uploads')
    const known = [...use.load.acknowledged]
    const file = path.join(folder, `${number}.zip`)
    const begun = performance.now()
    if (makeBackup) await makeBackup(file, use)
    else {
      const { code, stdout, stderr } = await runWaymark(['backup', file, '--json'], { dataDir })
      if (code !== 0) faults.push(`backup ended with ${code}: ${stderr}${stdout}`)
    }
    seconds.push((performance.now() - begun) / 1_000)
    made.push({ file, owed: known.filter(({ imageId }) => !use.deleted.has(imageId)) })
  }

  const use = await startUse(dataDir, server, await tokenOf(server.url, authorization))
  try {
    await until(() => use.load.acknowledged.length >= 50, '50 uploads')
    for (let number = 1; number <= backups; number += 1) await backUp(use, number)
  } finally {
    await use.stop()
    await server.end('SIGTERM')
  }
  faults.push(...(await findProblemsInStore(dataDir)))
  for (const { file, owed } of made) faults.push(...(await faultsOf(folder, file, authorization, owed)))
  return {
    backups,
    acknowledged: use.load.acknowledged.length,
    reviews: use.reviews(),
    swept: use.swept(),
    owed: made.reduce((sum, { owed }) => sum + owed.length, 0),
    faults,
    seconds,
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      backups: { type: 'string', default: '20' },
      kills: { type: 'string', default: '100' },
      folder: { type: 'string', default: tmpdir() },
    },
  })
  const folder = await mkdtemp(path.join(values.folder, 'waymark-backup-'))
  const begun = performance.now()
  try {
    const under = async <T>(name: string, work: (own: string) => Promise<T>): Promise<T> => {
      const own = await mkdtemp(path.join(folder, name))
      const result = await work(own)
      await rm(own, { recursive: true, force: true })
      return result
    }
    const load = await under('load-', (own) => backUpUnderLoad(own, { backups: Number(values.backups) }))
    const backups = await under('backup-kills-', (own) => killBackups(own, Number(values.kills), 300))
    const restores = await under('restore-kills-', (own) => killRestores(own, Number(values.kills), 300))
    const lines = summaryOf('backups under 16 uploading clients, reviews, deletions and sweeps (trust 20)', {
      'backups, each restored and compared': count(load.backups),
      'uploads acknowledged meanwhile': count(load.acknowledged),
      'decisions of reviewers meanwhile': count(load.reviews),
      'blobs swept meanwhile': count(load.swept),
      'uploads owed by the backups': count(load.owed),
      'missing or changed after a restore, or found by waymark check --store': count(load.faults.length),
      'seconds of a backup, longest': Math.max(0, ...load.seconds).toFixed(1),
      'backups killed, of which had their file': `${backups.kills}, ${backups.whole} (all whole)`,
      'restores killed, of which were done, half done': `${restores.kills}, ${restores.whole}, ${restores.half}`,
      'faults of these': count(backups.faults.length + restores.faults.length),
    })
    await finish({ lines, faults: [...load.faults, ...backups.faults, ...restores.faults], folder, begun })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) await main()
