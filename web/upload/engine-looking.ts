// The part of the uploads that looks at files, and changes those that the service does not take as they are.
import { uploadStrings } from '../strings/upload.ts'
import type { EngineParts } from './engine-parts.ts'
import type { PhotoFacts, PhotoProblem, QueuedPhoto, Question } from './photo.ts'
import { checkLimits } from './photo-limits.ts'

const { unusable } = uploadStrings

const problem = (code: keyof typeof unusable, kind = ''): PhotoProblem => ({
  code,
  title: unusable[code].title,
  detail: unusable[code].detail(kind.toUpperCase()),
})

export function createLooking({ store, work, dispatch, read, maxBytes, findSent }: EngineParts) {
  const busy = new Set<string>()
  /** Files that found no room and are in another tab's memory: they wait until that tab has the work. */
  const elsewhere = new Set<string>()

  const isThere = (photoId: string): boolean => read().queue.some(({ id }) => id === photoId)

  /** The same bytes sent before, or in this queue; a photo that review rejected may be sent again without a word. */
  async function findDuplicate(photo: QueuedPhoto, { sha256 }: PhotoFacts): Promise<Question | undefined> {
    if (sha256 === undefined || photo.isWanted === true) return undefined
    const sent = await findSent(sha256)
    // Nothing is waited for from here on, so that of two the same files one is always the other's double.
    const other = read().queue.find(
      ({ id, facts, state }) => id !== photo.id && facts?.sha256 === sha256 && state !== 'done',
    )
    if (other) return { kind: 'duplicate', of: 'queue', name: other.name }
    if (!sent || sent.status === 'rejected') return undefined
    return { kind: 'duplicate', of: 'sent', imageId: sent.imageId, status: sent.status }
  }

  async function check(photo: QueuedPhoto): Promise<void> {
    const { id, bytes } = photo
    const kept = await store.file(id)
    if (kept === undefined) return void elsewhere.add(id)
    if (bytes === 0) return dispatch({ type: 'unusable', id, problem: problem('empty') })
    const checked = await work.check(kept.file)
    if (checked === 'failed') return dispatch({ type: 'unusable', id, problem: problem('unreadable') })
    if (checked === undefined) return dispatch({ type: 'unusable', id, problem: problem('no-photo') })
    const { facts, preview, isDecodable } = checked
    // One that was taken out meanwhile would leave its file behind, which nothing would ever delete.
    if (!isThere(id)) return undefined
    await store.keepFile(id, { file: kept.file, preview })
    const judged = checkLimits({ facts, bytes, maxBytes, isDecodable }, problem)
    if (judged.problem) return dispatch({ type: 'unusable', id, problem: judged.problem, facts })
    const question = judged.question ?? (await findDuplicate(photo, facts))
    return dispatch({ type: 'checked', id, facts, question })
  }

  async function convert({ id, facts }: QueuedPhoto): Promise<void> {
    const kept = await store.file(id)
    if (kept === undefined || facts === undefined) return void elsewhere.add(id)
    const converted = await work.convert({ file: kept.file, facts, maxBytes })
    if (converted === undefined)
      return dispatch({ type: 'unusable', id, problem: problem('undecodable', facts.kind) })
    if (!isThere(id)) return undefined
    await store.keepFile(id, { file: converted, preview: kept.preview })
    return dispatch({ type: 'converted', id, bytes: converted.size })
  }

  async function run(photo: QueuedPhoto): Promise<void> {
    busy.add(photo.id)
    try {
      await (photo.state === 'checking' ? check(photo) : convert(photo))
    } catch {
      // The store of the browser gave way: it may be tried again.
      dispatch({ type: 'unusable', id: photo.id, problem: problem('unreadable') })
    } finally {
      busy.delete(photo.id)
    }
    look()
  }

  /** Two at once: while one is read from the disk, the other is with the worker. */
  function look(): void {
    const due = read().queue.filter(
      ({ id, state }) =>
        (state === 'checking' || state === 'converting') && !busy.has(id) && !elsewhere.has(id),
    )
    for (const photo of due.slice(0, Math.max(0, 2 - busy.size))) void run(photo)
  }

  return { look }
}
