// Uploads as contenders: the sending process, our servers, and folders that are emptied in between.
import { fork, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Contender, Ground } from './bench.ts'
import { watchChild, type Child } from './child.ts'
import { measureCpu } from './cpu.ts'
import { oursName } from './ours.ts'
import { markLength, type UploadOrder, type UploadReport } from './upload-load.ts'
import type { UploadServerAddress } from './upload-process.ts'

const startMs = 60_000
const warmUpMs = 4_000
const processFile = path.join(import.meta.dirname, 'upload-process.ts')
const loadFile = path.join(import.meta.dirname, 'upload-load.ts')

/** Placeholder in a body, replaced by different characters for each upload. */
export const mark = '?'.repeat(markLength)

/** Where bodies are sent, and what must be stored. */
export interface UploadTarget extends Pick<
  UploadOrder,
  'method' | 'isNamed' | 'headers' | 'status' | 'lanes'
> {
  readonly name: string
  readonly url: string
  readonly pids: readonly number[]
  readonly death: () => string | undefined
  /** Contains `mark` once. */
  readonly body: Uint8Array
  /** Where bodies are stored, one file each. */
  readonly folder: string
  /** This folder or a parent of it, emptied after each slice so that no disk fills up. */
  readonly store: string
  /** Size of each stored file. */
  readonly storedBytes: number
  /** Files are named by their SHA-256. */
  readonly isNamedByHash: boolean
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name))
}

/** Keeps folders, since a server remembers which it has created. */
async function emptyFiles(folder: string): Promise<void> {
  for (const file of await filesBelow(folder)) await rm(file)
}

/** @throws Error of one sentence if an acknowledged upload is not stored. */
async function judgeStored({ name, folder, storedBytes, isNamedByHash }: UploadTarget, done: number) {
  const found: string[] = []
  for (const file of await filesBelow(folder)) if ((await stat(file)).size === storedBytes) found.push(file)
  if (found.length !== done)
    throw new Error(`${name} answered ${done} uploads, and ${found.length} whole files are there.`)
  const [first] = found
  if (!isNamedByHash || first === undefined) return
  const hash = createHash('sha256')
    .update(await readFile(first))
    .digest('hex')
  if (path.basename(first) !== hash) throw new Error(`${name} has stored other bytes than were sent.`)
}

export function startUploader(ground: Ground) {
  const child = fork(loadFile, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const watched = watchChild(child, 'the process that uploads', () => '')
  let bodies = 0

  async function send(target: UploadTarget, order: UploadOrder) {
    const ended = new AbortController()
    child.send(order)
    const [report] = (await Promise.race([
      once(child, 'message', { signal: ended.signal }),
      once(child, 'exit', { signal: ended.signal }).then(() => [{ failure: watched.death() ?? 'it ended' }]),
    ])) as [UploadReport]
    ended.abort()
    if ('failure' in report) throw new Error(target.death() ?? `${target.name}: ${report.failure}`)
    return report
  }

  return {
    /** Warmed up, with its stored files checked. */
    contender: async (target: UploadTarget): Promise<Contender> => {
      const { name, url, method, isNamed, headers, status, lanes, pids } = target
      bodies += 1
      const file = path.join(ground.folder, `body-${bodies}`)
      await writeFile(file, target.body)
      const body = { file, markAt: Buffer.from(target.body).indexOf(mark) }
      if (body.markAt < 0) throw new Error(`the body for ${name} has no place for a mark`)
      const run = (ms: number) => send(target, { url, method, isNamed, headers, body, status, lanes, ms })
      const { done } = await run(ground.isQuick ? 50 : warmUpMs)
      await judgeStored(target, done)
      await emptyFiles(target.store)
      return {
        name,
        slice: async (ms) => {
          const cpu = measureCpu(pids)
          const report = await run(ms)
          const cpuUs = cpu()
          await emptyFiles(target.store)
          return { ...report, cpuUs }
        },
      }
    },
    close: watched.close,
  }
}

export interface UploadServer extends Child, UploadServerAddress {
  /** A target on this server, except for the body. */
  readonly target: Omit<UploadTarget, 'body' | 'storedBytes' | 'lanes'>
}

/**
 * Our server.
 * @param maker whether renditions are generated or only recorded.
 */
export async function startUploadServer(
  dataDir: string,
  maker: 'whole' | 'recording',
  settings: Readonly<Record<string, string>> = {},
): Promise<UploadServer> {
  const server: ChildProcess = fork(processFile, [dataDir, maker, JSON.stringify(settings)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const child = watchChild(server, oursName, () => '')
  const deadline = AbortSignal.timeout(startMs)
  const [address] = (await Promise.race([
    once(server, 'message', { signal: deadline }),
    once(server, 'exit', { signal: deadline }).then(() => {
      throw new Error(child.death())
    }),
  ])) as [UploadServerAddress]
  const { port, paths, tokens } = address
  return {
    ...child,
    ...address,
    target: {
      name: oursName,
      url: `http://127.0.0.1:${port}${paths[0]}`,
      method: 'POST',
      isNamed: false,
      headers: tokens.map((token) => ({
        authorization: `Bearer ${token}`,
        'content-type': 'image/jpeg',
      })),
      status: 201,
      pids: [child.pid],
      death: child.death,
      folder: path.join(dataDir, 'blobs', 'kept', 'original'),
      store: path.join(dataDir, 'blobs', 'kept'),
      isNamedByHash: true,
    },
  }
}
