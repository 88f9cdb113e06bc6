// The part of the uploads that sends: three at once, in their order, as the account they belong to, and never twice.
import type { EngineParts } from './engine-parts.ts'
import type { QueuedPhoto } from './photo.ts'
import { detailsOf, nextDueAt, nextToSend } from './queue-view.ts'
import { rememberedMs, sendPhoto, waitMs, type SendOutcome } from './send-photo.ts'

/** How long an answer to "who is signed in" is good for: another tab may have signed somebody else in. */
const knownForMs = 5_000
/** A bar that moves, without a redraw for each packet. */
const tellEveryMs = 100

export function createSending({
  store,
  dispatch,
  change,
  read,
  signal,
  acctId,
  waymark,
  findSent,
  signInAgain,
  onMade,
}: EngineParts) {
  const running = new Map<string, AbortController>()
  /** Files that found no room and are in another tab's memory: they wait until that tab has the work. */
  const elsewhere = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isAsking = false
  let knownAt = 0
  /** The server asked for it (429, 503): nobody begins before. */
  let restUntil = 0

  /** @returns whether it is still the account that the photos belong to. @throws where nobody can be asked. */
  async function isOwner(): Promise<boolean> {
    if (Date.now() - knownAt < knownForMs) return true
    const { viewer } = await waymark.site()
    if (viewer !== null && viewer.acctID !== acctId) return false
    // Nobody at all: the upload itself will say so, and ask for a new sign-in.
    knownAt = Date.now()
    return true
  }

  function holdAll(hold: NonNullable<ReturnType<typeof read>['hold']>): void {
    const ids = read()
      .queue.filter(({ state }) => state === 'queued')
      .map(({ id }) => id)
    // The hold first: whatever changes the queue makes the next photo begin.
    change({ hold })
    if (hold.kind === 'other-terms') dispatch({ type: 'returned', ids })
    if (hold.kind === 'quota') dispatch({ type: 'paused', ids })
  }

  async function askToSignIn(): Promise<void> {
    if (isAsking) return
    isAsking = true
    change({ hold: { kind: 'sign-in' } })
    const isSignedIn = await signInAgain()
    isAsking = false
    knownAt = 0
    // Where they chose not to, the page shows why nothing goes on, with a button to ask again.
    if (isSignedIn) change({ hold: undefined })
  }

  function settle(photo: QueuedPhoto, outcome: SendOutcome): void {
    const { id } = photo
    switch (outcome.kind) {
      case 'made':
        dispatch({ type: 'succeeded', id, imageId: outcome.imageId, status: outcome.status })
        onMade(outcome.imageId, photo)
        return
      case 'refused':
        if (outcome.problem.code === 'quota-reached')
          holdAll({ kind: 'quota', detail: outcome.problem.detail })
        dispatch({ type: 'refused', id, problem: outcome.problem })
        return
      case 'later': {
        const { afterMs, mayBeDone, waitsFor } = outcome
        const until = Date.now() + (afterMs ?? waitMs(photo.attempts, Math.random()))
        if (afterMs !== undefined) restUntil = Math.max(restUntil, until)
        dispatch({ type: 'postponed', id, until, mayBeDone, waitsFor })
        return
      }
      case 'sign-in':
        void askToSignIn()
        dispatch({ type: 'postponed', id, until: 0, mayBeDone: false, waitsFor: 'server' })
        return
      case 'other-terms':
        holdAll({ kind: 'other-terms' })
        dispatch({ type: 'returned', ids: [id] })
        return
      case 'stopped':
    }
  }

  /** The key of a photo that may have arrived more than a day ago means nothing to the server any more: it is looked for. */
  async function findArrived({
    isUnknown,
    unknownSince,
    facts,
    trail,
  }: QueuedPhoto): Promise<SendOutcome | undefined> {
    const isForgotten = isUnknown === true && Date.now() - (unknownSince ?? 0) > rememberedMs
    if (!isForgotten || facts?.sha256 === undefined) return undefined
    const found = await findSent(facts.sha256)
    return found?.trailId === trail?.trailId && found
      ? { kind: 'made', imageId: found.imageId, status: found.status }
      : undefined
  }

  function createProgress(id: string): (sentBytes: number, isWhole: boolean) => void {
    let reportedAt = 0
    let wasWhole = false
    return (sentBytes, isWhole) => {
      const now = performance.now()
      if (now - reportedAt < tellEveryMs && isWhole === wasWhole) return
      reportedAt = now
      wasWhole = isWhole
      dispatch({ type: 'progressed', id, sentBytes, isWhole })
    }
  }

  async function attempt(photo: QueuedPhoto, file: Blob, stop: AbortSignal): Promise<SendOutcome> {
    const arrived = await findArrived(photo)
    if (arrived) return arrived
    const details = photo.sent ?? detailsOf(photo)
    return sendPhoto({ waymark, photo, file, details, signal: stop, onProgress: createProgress(photo.id) })
  }

  async function run(photo: QueuedPhoto): Promise<void> {
    const stop = new AbortController()
    running.set(photo.id, stop)
    try {
      const kept = await store.file(photo.id)
      if (kept === undefined) return void elsewhere.add(photo.id)
      if (!(await isOwner())) return change({ hold: { kind: 'other-account' } })
      if (!read().queue.some(({ id, state }) => id === photo.id && state === 'queued')) return
      dispatch({ type: 'began', id: photo.id, sent: photo.sent ?? detailsOf(photo), at: Date.now() })
      const begun = read().queue.find(({ id }) => id === photo.id) ?? photo
      settle(begun, await attempt(begun, kept.file, AbortSignal.any([stop.signal, signal])))
    } catch {
      // Nobody could be asked who is signed in: as with any other lost connection, it is tried again.
      dispatch({ type: 'delayed', id: photo.id, until: Date.now() + waitMs(photo.attempts, Math.random()) })
    } finally {
      running.delete(photo.id)
    }
    send()
  }

  function send(): void {
    for (const [id, stop] of running) {
      const photo = read().queue.find((one) => one.id === id)
      if (photo === undefined || photo.state === 'paused') stop.abort()
    }
    clearTimeout(timer)
    const { hold, isLeading, queue } = read()
    if (hold !== undefined || !isLeading || signal.aborted) return
    const now = Date.now()
    const rest = restUntil - now
    if (rest > 0) {
      timer = setTimeout(send, rest)
      return
    }
    const free = queue.filter(({ id }) => !running.has(id) && !elsewhere.has(id))
    for (const photo of nextToSend(free, now, running.size)) void run(photo)
    const dueAt = nextDueAt(free, now)
    if (dueAt !== undefined) timer = setTimeout(send, dueAt - now)
  }

  return { send }
}
