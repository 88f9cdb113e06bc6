// What a pull stores in DATA_DIR until it is complete, so that an interrupted pull can resume: downloaded lists,
// photos not stored yet, the request in progress, and what could not be imported. The database knows what was stored.
import { hash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { appendFile, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { takeFileLock } from '../../src/database/sqlite/file-lock.ts'
import { syncFolder } from '../../src/storage/durable-folders.ts'
import { fail, isSystemError, systemSentence } from '../failures.ts'
import { boundedBody } from './bounded-body.ts'
import type { Loss, LossCode } from './losses.ts'

/** An older list is requested again: an interrupted pull may be resumed much later. */
const maxListAgeMs = 24 * 3_600_000
/** However often a pull is killed: what was cut off this often is left to the next pull. */
export const maxAsks = 2

export interface StoredList {
  readonly file: string
  readonly contentType: string
}

export interface StoredBody {
  readonly bytes: Buffer
  /** Was the length announced? If only the end of the connection marks the end, the body may be cut off. */
  readonly isDelimited: boolean
  readonly form: 'original' | 'lg'
}

/** A disk that cannot be written ends the pull: it must not count as a fault of the other server. */
async function onDisk<T>(file: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!isSystemError(error)) throw error
    if (error.code !== 'ENOSPC' && error.code !== 'EDQUOT')
      throw fail('system-error', systemSentence(Object.assign(error, { path: file })))
    const place = path.dirname(file)
    throw fail('no-space', `The disk of ${place} is full: free up space, and run the same command again.`)
  }
}

/** Complete and durable, or not written at all. @throws a failure that ends the pull if the disk cannot be written. */
async function writeWhole(
  file: string,
  content: string | Uint8Array | AsyncIterable<Uint8Array>,
): Promise<void> {
  const part = `${file}.part`
  const handle = await onDisk(part, open(part, 'w', 0o600))
  try {
    // Not `write`, which may write less than it is given when the disk fills up.
    if (typeof content === 'string' || content instanceof Uint8Array)
      await onDisk(part, handle.writeFile(content))
    else for await (const chunk of content) await onDisk(part, handle.appendFile(chunk))
    await onDisk(part, handle.datasync())
  } catch (error) {
    await rm(part, { force: true }) // it may be long
    throw error
  } finally {
    await handle.close()
  }
  await onDisk(part, rename(part, file))
}

const parsed = (line: string): Loss | undefined => {
  try {
    return JSON.parse(line) as Loss
  } catch {
    return undefined // a partial line, if the pull was killed
  }
}

export interface PullPlace {
  readonly dataDir: string
  /** URL of the other server. */
  readonly source: string
  readonly isDryRun: boolean
  /** The target of the command as text: losses of other targets are not its concern. */
  readonly wanted: string
  readonly now: () => number
}

export async function openPullState({ dataDir, source, isDryRun, wanted, now }: PullPlace) {
  const parent = path.join(dataDir, 'pull')
  await mkdir(parent, { recursive: true, mode: 0o700 })
  const name = hash('sha256', source).slice(0, 16)
  const folder = path.join(parent, isDryRun ? `${name}-dry` : name)
  const lock = takeFileLock(path.join(parent, `${name}.lock`))
  if (lock === undefined) throw fail('pull-running', `Another pull from ${source} is running.`)
  if (isDryRun) await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const askedFile = path.join(folder, 'asked.json')
  const lossFile = path.join(folder, 'losses.jsonl')
  const wantedFile = path.join(folder, 'wanted')
  if ((await readFile(wantedFile, 'utf8').catch(() => wanted)) !== wanted) await rm(lossFile, { force: true })
  await writeWhole(wantedFile, wanted)
  await writeWhole(path.join(folder, 'source'), source)
  await syncFolder(parent)

  const asked = new Map<string, number>(
    Object.entries(
      existsSync(askedFile) ? (JSON.parse(await readFile(askedFile, 'utf8')) as Record<string, number>) : {},
    ),
  )
  /** Is there anything to resume? A pull that was refused at once leaves nothing. */
  const isResumed =
    asked.size > 0 || (await readdir(folder)).some((name) => /\.(?:list|whole|open|jsonl)$/.test(name))
  /** The last request. */
  let asking: string | undefined
  const losses = new Set<string>()
  const finished = new Set<string>()
  const keyOf = ({ what, id, code }: Pick<Loss, 'what' | 'id' | 'code'>): string => `${what} ${id} ${code}`

  async function* readLosses(): AsyncGenerator<Loss, void> {
    if (!existsSync(lossFile)) return
    for await (const line of createInterface({ input: createReadStream(lossFile) })) {
      const loss = parsed(line)
      if (loss) yield loss
    }
  }
  // A partial line at the end would absorb the next one.
  if (existsSync(lossFile)) await appendFile(lossFile, '\n')
  function remember(loss: Loss): void {
    losses.add(keyOf(loss))
    if (loss.isLeft) finished.add(`${loss.what} ${loss.id}`)
  }
  for await (const loss of readLosses()) remember(loss)

  const listFile = (of: string): string => path.join(folder, `${of.replace(' ', '-')}.list`)

  const bodyFile = (of: string, isDelimited: boolean): string =>
    path.join(folder, `${of.replace(' ', '-')}.${isDelimited ? 'whole' : 'open'}`)

  return {
    isResumed,

    /**
     * May this be requested, or was it cut off too often in this pull? Each request is recorded before it is sent.
     */
    beginAsk: async (what: string): Promise<boolean> => {
      const times = asked.get(what) ?? 0
      if (times >= maxAsks) return false
      asked.set(what, times + 1)
      asking = what
      await writeWhole(askedFile, JSON.stringify(Object.fromEntries(asked)))
      return true
    },

    /** It was answered and the result is durable; written together with the next request. */
    endAsk: (what: string): void => {
      asked.delete(what)
      if (asking === what) asking = undefined
    },

    findList: async (of: string): Promise<StoredList | undefined> => {
      const facts = await stat(listFile(of)).catch(() => undefined)
      if (facts === undefined || now() - facts.mtimeMs > maxListAgeMs) return undefined
      return { file: listFile(of), contentType: await readFile(`${listFile(of)}.type`, 'utf8') }
    },

    /** @throws bodyTooLong, or a failure if the disk gets full. */
    keepList: async (
      of: string,
      contentType: string,
      body: AsyncIterable<Uint8Array>,
    ): Promise<StoredList> => {
      await writeWhole(`${listFile(of)}.type`, contentType)
      await writeWhole(listFile(of), boundedBody(body, folder))
      await syncFolder(folder)
      return { file: listFile(of), contentType }
    },

    dropList: (of: string): Promise<void> => rm(listFile(of), { force: true }),

    /** The downloaded body that is not stored yet; `isDelimited` as it was saved. */
    findBody: async (of: string, form: StoredBody['form'] = 'lg'): Promise<StoredBody | undefined> => {
      for (const isDelimited of [true, false]) {
        const bytes = await readFile(bodyFile(of, isDelimited)).catch(() => undefined)
        if (bytes) return { bytes, isDelimited, form }
      }
      return undefined
    },

    keepBody: (of: string, { bytes, isDelimited }: Omit<StoredBody, 'form'>): Promise<void> =>
      writeWhole(bodyFile(of, isDelimited), bytes),

    dropBody: (of: string, { isDelimited }: Pick<StoredBody, 'isDelimited'>): Promise<void> =>
      rm(bodyFile(of, isDelimited), { force: true }),

    /** Records a loss once, however often the pull is resumed. */
    note: async (loss: Loss): Promise<void> => {
      if (losses.has(keyOf(loss))) return
      remember(loss)
      await onDisk(lossFile, appendFile(lossFile, `${JSON.stringify(loss)}\n`, { mode: 0o600 }))
    },

    /** Was it left out in this pull already? Then it is not requested again. */
    isLeft: (what: Loss['what'], id: string): boolean => finished.has(`${what} ${id}`),

    isNoted: (code: LossCode, of: Pick<Loss, 'what' | 'id'>): boolean => losses.has(keyOf({ ...of, code })),

    readLosses,

    /**
     * The pull stops early: answered requests no longer count as in progress.
     * @param isUnreachable whether it stops because of the other server; then the last request was not cut off.
     */
    pause: async (isUnreachable: boolean): Promise<void> => {
      if (isUnreachable && asking !== undefined) asked.set(asking, (asked.get(asking) ?? 1) - 1)
      if (existsSync(askedFile)) await writeWhole(askedFile, JSON.stringify(Object.fromEntries(asked)))
    },

    /** The pull is complete, and the next one starts from scratch. Still has to be closed. */
    finish: async (): Promise<void> => {
      await rm(folder, { recursive: true, force: true })
    },

    /** Releases the lock for this server. */
    close: (): void => lock.release(),
  }
}

export type PullState = Awaited<ReturnType<typeof openPullState>>
