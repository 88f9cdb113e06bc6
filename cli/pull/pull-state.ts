// What a pull keeps in DATA_DIR until it has come to its end, so that one that was killed goes on where it was: the lists that
// it was given, photos that are not stored yet, what it was asking for, and what could not be kept. What was stored, the
// database tells.
import { hash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { appendFile, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { takeFileLock } from '../../src/database/sqlite/file-lock.ts'
import { syncFolder } from '../../src/storage/durable-folders.ts'
import { fail } from '../failures.ts'
import { boundedBody } from './bounded-body.ts'
import type { Loss, LossCode } from './losses.ts'

/** A list that is older is asked for again: a pull that was killed may be taken up much later. */
const maxListAgeMs = 24 * 3_600_000
/** However often a pull is killed: what was cut off so often is left to the next pull. */
export const maxAsks = 2

export interface KeptList {
  readonly file: string
  readonly contentType: string
}

export interface KeptBody {
  readonly bytes: Buffer
  /** Was it said how much there is? Where the end of the connection alone tells, it may have been cut. */
  readonly isDelimited: boolean
  readonly form: 'original' | 'lg'
}

/** Whole and durable, or not there. */
async function writeWhole(
  file: string,
  content: string | Uint8Array | AsyncIterable<Uint8Array>,
): Promise<void> {
  const handle = await open(`${file}.part`, 'w', 0o600)
  try {
    if (typeof content === 'string' || content instanceof Uint8Array) await handle.writeFile(content)
    else for await (const chunk of content) await handle.write(chunk)
    await handle.datasync()
  } catch (error) {
    await rm(`${file}.part`, { force: true }) // it may be long
    throw error
  } finally {
    await handle.close()
  }
  await rename(`${file}.part`, file)
}

const parsed = (line: string): Loss | undefined => {
  try {
    return JSON.parse(line) as Loss
  } catch {
    return undefined // half a line, where the pull was killed
  }
}

export interface PullPlace {
  readonly dataDir: string
  /** Address of the other server. */
  readonly source: string
  readonly isDryRun: boolean
  /** What the command asks for, as a text: what could not be kept of something else is none of its business. */
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
  /** Is there anything to go on with? A pull that was refused at once leaves nothing. */
  const isResumed =
    asked.size > 0 || (await readdir(folder)).some((name) => /\.(?:list|whole|open|jsonl)$/.test(name))
  /** What was asked for last. */
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
  // A half line at the end would swallow the next one.
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

    /** May this be requested, or was it cut off too often in this pull? Each request is noted here before it is sent. */
    beginAsk: async (what: string): Promise<boolean> => {
      const times = asked.get(what) ?? 0
      if (times >= maxAsks) return false
      asked.set(what, times + 1)
      asking = what
      await writeWhole(askedFile, JSON.stringify(Object.fromEntries(asked)))
      return true
    },

    /** It was answered, and what came of it is durable: written with the next that is asked. */
    endAsk: (what: string): void => {
      asked.delete(what)
      if (asking === what) asking = undefined
    },

    findList: async (of: string): Promise<KeptList | undefined> => {
      const facts = await stat(listFile(of)).catch(() => undefined)
      if (facts === undefined || now() - facts.mtimeMs > maxListAgeMs) return undefined
      return { file: listFile(of), contentType: await readFile(`${listFile(of)}.type`, 'utf8') }
    },

    /** @throws bodyTooLong, and a failure where the disk gets full. */
    keepList: async (of: string, contentType: string, body: AsyncIterable<Uint8Array>): Promise<KeptList> => {
      await writeWhole(`${listFile(of)}.type`, contentType)
      await writeWhole(listFile(of), boundedBody(body, folder))
      await syncFolder(folder)
      return { file: listFile(of), contentType }
    },

    dropList: (of: string): Promise<void> => rm(listFile(of), { force: true }),

    /** What was sent for it and is not stored yet; `isDelimited` as it was kept. */
    findBody: async (of: string, form: KeptBody['form'] = 'lg'): Promise<KeptBody | undefined> => {
      for (const isDelimited of [true, false]) {
        const bytes = await readFile(bodyFile(of, isDelimited)).catch(() => undefined)
        if (bytes) return { bytes, isDelimited, form }
      }
      return undefined
    },

    keepBody: (of: string, { bytes, isDelimited }: Omit<KeptBody, 'form'>): Promise<void> =>
      writeWhole(bodyFile(of, isDelimited), bytes),

    dropBody: (of: string, { isDelimited }: Pick<KeptBody, 'isDelimited'>): Promise<void> =>
      rm(bodyFile(of, isDelimited), { force: true }),

    /** Tells once what could not be kept, however often this pull comes by. */
    note: async (loss: Loss): Promise<void> => {
      if (losses.has(keyOf(loss))) return
      remember(loss)
      await appendFile(lossFile, `${JSON.stringify(loss)}\n`, { mode: 0o600 })
    },

    /** Was it left out in this pull already? Then it is not asked for again. */
    isLeft: (what: Loss['what'], id: string): boolean => finished.has(`${what} ${id}`),

    isNoted: (code: LossCode, of: Pick<Loss, 'what' | 'id'>): boolean => losses.has(keyOf({ ...of, code })),

    readLosses,

    /**
     * It ends before its end: what was answered is no longer being asked for.
     * @param isTold whether it ends because of the other server, which then has not been cut off.
     */
    pause: async (isTold: boolean): Promise<void> => {
      if (isTold && asking !== undefined) asked.set(asking, (asked.get(asking) ?? 1) - 1)
      if (existsSync(askedFile)) await writeWhole(askedFile, JSON.stringify(Object.fromEntries(asked)))
    },

    /** The pull has come to its end: the next one begins anew. To be closed all the same. */
    finish: async (): Promise<void> => {
      await rm(folder, { recursive: true, force: true })
    },

    /** Lets others pull from there. */
    close: (): void => lock.release(),
  }
}

export type PullState = Awaited<ReturnType<typeof openPullState>>
