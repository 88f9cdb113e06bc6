// The journal of uploads to a trail, written before and after each photo, so that an upload that was killed resumes
// without duplicates.
import { createHash } from 'node:crypto'
import { mkdir, open, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { TrackPlace } from './track-places.ts'

/** Target and account: the same photo may be uploaded to another trail, or by another account. */
export interface JournalPlace {
  readonly url: string
  readonly trailID: number
  readonly acctID: number
}

export interface JournalEntry {
  /** Idempotency-Key of the upload. */
  readonly key: string
  /** Undefined until a response has been read, whether or not the server has stored the photo. */
  readonly imageID?: number
  readonly place?: TrackPlace
}

type Line = Partial<JournalEntry> & { readonly sha256: string }

const fileOf = (folder: string, { url, trailID, acctID }: JournalPlace): string => {
  const name = createHash('sha256').update(`${url} ${trailID} ${acctID}`).digest('hex').slice(0, 32)
  return path.join(folder, 'uploads', `${name}.jsonl`)
}

/** The last line may be cut off if the process was killed. */
function linesOf(text: string): Line[] {
  return text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as Line]
    } catch {
      return []
    }
  })
}

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
}

function entriesOf(text: string): Map<string, JournalEntry> {
  const entries = new Map<string, JournalEntry>()
  for (const { sha256, ...entryFields } of linesOf(text)) {
    // A new key starts a new upload, whose image is not known yet.
    if (entryFields.key !== undefined) entries.set(sha256, { key: entryFields.key })
    const entry = entries.get(sha256)
    if (entry && entryFields.imageID !== undefined) entries.set(sha256, { ...entry, ...entryFields })
  }
  return entries
}

/** @param folder the user's state folder; undefined if nothing is to be written, as in a dry run. */
export async function openJournal(folder: string, at: JournalPlace, { isReadOnly = false } = {}) {
  const file = fileOf(folder, at)
  const text = await readText(file)
  const entries = entriesOf(text)
  if (!isReadOnly) await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  const handle = isReadOnly ? undefined : await open(file, 'a', 0o600)
  // After a partial line of a killed process, the next entry must start on its own line.
  if (text !== '' && !text.endsWith('\n')) await handle?.appendFile('\n')

  return {
    find: (sha256: string): JournalEntry | undefined => entries.get(sha256),

    /** Call this before the photo is sent: the entry is durable once it resolves. */
    begin: async (sha256: string, key: string): Promise<void> => {
      entries.set(sha256, { key })
      await handle?.appendFile(`${JSON.stringify({ sha256, key })}\n`)
      await handle?.datasync()
    },

    end: async (sha256: string, imageID: number, place: TrackPlace | undefined): Promise<void> => {
      const stored = { imageID, ...(place && { place }) }
      entries.set(sha256, { key: entries.get(sha256)?.key ?? '', ...stored })
      await handle?.appendFile(`${JSON.stringify({ sha256, ...stored })}\n`)
    },

    close: async (): Promise<void> => handle?.close(),
  }
}

export type Journal = Awaited<ReturnType<typeof openJournal>>
