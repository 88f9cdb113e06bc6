// The queue in IndexedDB, so that it outlives the page: records and files apart, since a record changes often.
import { openDB, type DBSchema, type IDBPDatabase } from 'idb'
import type { QueuedPhoto } from './photo.ts'

export interface StoredFile {
  readonly file: Blob
  /** A small picture of it; undefined where the browser cannot decode it. */
  readonly preview?: Blob | undefined
}

interface Schema extends DBSchema {
  photos: { key: string; value: QueuedPhoto }
  files: { key: string; value: StoredFile }
}

const name = 'waymark.uploads'

/**
 * Files that find no room, or no database at all (private windows of some browsers), are kept for as long as the page is
 * open; `onNoRoom` is told, once.
 */
export function createStore({ onNoRoom }: { readonly onNoRoom: () => void }) {
  const unkept = new Map<string, StoredFile>()
  let opened: Promise<IDBPDatabase<Schema> | undefined> | undefined
  let hasTold = false

  function tell(): void {
    if (!hasTold) onNoRoom()
    hasTold = true
  }

  function database(): Promise<IDBPDatabase<Schema> | undefined> {
    opened ??= openDB<Schema>(name, 1, {
      upgrade(db) {
        db.createObjectStore('photos', { keyPath: 'id' })
        db.createObjectStore('files')
      },
    }).catch(() => {
      tell()
      return undefined
    })
    return opened
  }

  /** A record without its file is worth nothing: neither outlives the page then. */
  async function keepFile(id: string, stored: StoredFile): Promise<void> {
    const db = await database()
    try {
      if (db === undefined) throw new Error('no database')
      await db.put('files', stored, id)
      unkept.delete(id)
    } catch {
      unkept.set(id, stored)
      tell()
    }
  }

  return {
    /** In the order in which they were added. */
    load: async (): Promise<readonly QueuedPhoto[]> => {
      const db = await database()
      const photos = await db?.getAll('photos').catch(() => undefined)
      // Photos of before that cannot be read must not keep new ones out.
      if (photos === undefined) {
        tell()
        return []
      }
      return photos.toSorted((one, other) => one.addedAt - other.addedAt || (one.id < other.id ? -1 : 1))
    },
    keepFile,
    file: async (id: string): Promise<StoredFile | undefined> =>
      unkept.get(id) ?? (await (await database())?.get('files', id)),
    /** Records that changed; those whose file is not kept are left out. */
    save: async (photos: readonly QueuedPhoto[]): Promise<void> => {
      const db = await database()
      const lasting = photos.filter(({ id }) => !unkept.has(id))
      if (db === undefined || lasting.length === 0) return
      try {
        const transaction = db.transaction('photos', 'readwrite')
        await Promise.all([...lasting.map((photo) => transaction.store.put(photo)), transaction.done])
      } catch {
        tell()
      }
    },
    remove: async (ids: readonly string[]): Promise<void> => {
      for (const id of ids) unkept.delete(id)
      const db = await database()
      if (db === undefined) return
      const transaction = db.transaction(['photos', 'files'], 'readwrite')
      const gone = ids.flatMap((id) => [
        transaction.objectStore('photos').delete(id),
        transaction.objectStore('files').delete(id),
      ])
      await Promise.all([...gone, transaction.done])
    },
    isKept: (id: string): boolean => !unkept.has(id),
  }
}

export type UploadStore = ReturnType<typeof createStore>
