// The uploads of this browser: holds the queue, stores it, informs other tabs, and lets one of them do the work.
import { createLooking } from './engine-looking.ts'
import type { EngineDependencies, EngineParts, UploadsState } from './engine-parts.ts'
import { createSending } from './engine-sending.ts'
import { lead } from './leader.ts'
import type { ChosenTrail, QueuedPhoto } from './photo.ts'
import { createPhotoWork } from './photo-work.ts'
import { reduceQueue, type QueueAction } from './queue.ts'
import { createPace, hasLeft, isSending, progressOf, type Pace } from './queue-view.ts'
import { createStore, type StoredFile } from './store.ts'

export interface AddedDefaults {
  readonly trail?: ChosenTrail | undefined
  readonly title?: string | undefined
  readonly caption?: string | undefined
}

const addedAtOnce = 25

/** Not crypto.randomUUID, which pages over plain http do not have. */
const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )

export function createUploads(dependencies: EngineDependencies) {
  const { acctId } = dependencies
  const end = new AbortController()
  const listeners = new Set<() => void>()
  const pace: Pace = createPace()
  const store = createStore({ onNoRoom: () => change({ hasNoRoom: true }) })
  const work = createPhotoWork()
  const channel = new BroadcastChannel('waymark.uploads')
  let state: UploadsState = {
    isLoaded: false,
    queue: [],
    ofOthers: 0,
    isLeading: false,
    hold: undefined,
    hasNoRoom: false,
  }

  function change(next: Partial<UploadsState>): void {
    state = { ...state, ...next }
    for (const listener of listeners) listener()
    if (state.isLeading && state.isLoaded) {
      looking.look()
      sending.send()
    }
  }

  function apply(action: QueueAction): { readonly changed: readonly QueuedPhoto[] } {
    const before = new Map(state.queue.map((photo) => [photo.id, photo]))
    const reduced = reduceQueue(state.queue, action)
    if (reduced === state.queue) return { changed: [] }
    // Another tab may add photos of another account.
    const queue = reduced.filter((photo) => photo.acctId === acctId)
    pace.note(Date.now(), progressOf(queue).sentBytes)
    change({ queue })
    return { changed: queue.filter((photo) => before.get(photo.id) !== photo) }
  }

  function dispatch(action: QueueAction): void {
    const { changed } = apply(action)
    channel.postMessage(action)
    // Progress does not matter after a reload: the upload starts again.
    if (action.type !== 'progressed') void store.save(changed)
    if (action.type === 'removed') void store.remove(action.ids)
  }

  const parts: EngineParts = {
    ...dependencies,
    store,
    work,
    dispatch,
    change,
    signal: end.signal,
    read: () => state,
  }
  const looking = createLooking(parts)
  const sending = createSending(parts)

  channel.addEventListener('message', ({ data }: MessageEvent<QueueAction>) => {
    if (state.isLoaded) apply(data)
  })

  async function load(): Promise<void> {
    const all = await store.load()
    const own = all.filter((photo) => photo.acctId === acctId)
    change({ isLoaded: true, queue: own, ofOthers: all.length - own.length })
    lead(
      newId(),
      () => {
        change({ isLeading: true })
        // The previous leader is gone, and with it all its requests.
        dispatch({ type: 'interrupted' })
      },
      end.signal,
    )
  }

  let lastAddedAt = 0
  const loaded = load()
  const onOnline = (): void => dispatch({ type: 'reconnected' })
  globalThis.addEventListener('online', onOnline, { signal: end.signal })

  return {
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    snapshot: (): UploadsState => state,
    pace,
    dispatch,
    file: store.file,
    /** Adds files: from here on each has a row, whatever it is. @returns their ids, in the same order. */
    add: async (
      files: readonly File[],
      { trail, title = '', caption = '' }: AddedDefaults,
    ): Promise<readonly string[]> => {
      await loaded
      // A millisecond each, and none twice: a number of milliseconds since 1970 has no room for smaller fractions.
      const firstAddedAt = Math.max(Date.now(), lastAddedAt + 1)
      lastAddedAt = firstAddedAt + files.length
      const rowOf = (file: File, index: number): QueuedPhoto => ({
        id: newId(),
        acctId,
        key: newId(),
        name: file.name,
        bytes: file.size,
        // In the order in which they were chosen, after a reload, too.
        addedAt: firstAddedAt + index,
        state: 'checking',
        title,
        caption,
        trail,
        position: { from: 'file' },
        sentBytes: 0,
        attempts: 0,
      })
      const ids: string[] = []
      // The first rows are there at once, and five hundred do not make five hundred redraws.
      for (let from = 0; from < files.length; from += addedAtOnce) {
        const some = files.slice(from, from + addedAtOnce)
        const photos = some.map((file, index) => rowOf(file, from + index))
        await Promise.all(
          photos.map(({ id }, index) => store.keepFile(id, { file: some[index] ?? new Blob() })),
        )
        dispatch({ type: 'added', photos })
        ids.push(...photos.map(({ id }) => id))
      }
      return ids
    },
    /** The same row with another file, for a refused one. */
    replace: async (id: string, file: File): Promise<void> => {
      await store.keepFile(id, { file })
      dispatch({ type: 'replaced', id, name: file.name, bytes: file.size, key: newId() })
    },
    /** Retries a refused upload; with a new key if the old one belongs to another request. */
    retry: (ids: readonly string[]): void => {
      const isSpent = ({ problem }: QueuedPhoto): boolean =>
        problem?.code === 'already-done' || problem?.code === 'idempotency-key-reused'
      const named = state.queue.filter(({ id }) => ids.includes(id))
      for (const { id, name, bytes } of named.filter(isSpent))
        dispatch({ type: 'replaced', id, name, bytes, key: newId() })
      dispatch({ type: 'retried', ids: named.filter((photo) => !isSpent(photo)).map(({ id }) => id) })
    },
    /** @returns what takes them back. */
    remove: async (ids: readonly string[]): Promise<() => Promise<void>> => {
      const photos = state.queue.filter(({ id }) => ids.includes(id))
      const files = await Promise.all(
        photos.map(async ({ id }): Promise<readonly [string, StoredFile | undefined]> => [
          id,
          await store.file(id),
        ]),
      )
      dispatch({ type: 'removed', ids })
      return async () => {
        for (const [id, kept] of files) if (kept) await store.keepFile(id, kept)
        dispatch({ type: 'added', photos })
        // An upload in progress was aborted when the photo was removed; it may still have arrived.
        dispatch({ type: 'paused', ids })
      }
    },
    /** The user has seen why uploads are paused, and resumes them. */
    release: (): void => change({ hold: undefined }),
    /** Whether leaving now would end something that the queue does not keep. */
    wouldLose: (): boolean => isSending(state.queue) || (state.hasNoRoom && hasLeft(state.queue)),
    end: (): void => {
      end.abort()
      channel.close()
      work.end()
    },
  }
}

export type Uploads = ReturnType<typeof createUploads>
