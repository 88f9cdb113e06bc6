// Responses that the page requested before the app was loaded (src/site/assets/early.js). They tell how things stood when the
// page was opened: each may answer the app's first request of its URL, and none counts after a change.
declare global {
  var waymarkEarly: Map<string, Promise<Response>> | undefined
}

/** By then the app has requested what its first page needs. */
const maxMs = 30_000

/** @returns a function that takes the early response to a request; undefined if there is none that still counts. */
export function createTakeEarly() {
  const until = performance.now() + maxMs
  /** The script may be later than the app, and then has responses that nobody waits for. */
  const asked = new Set<string>()
  let isOver = false

  return ({ method, url }: Pick<Request, 'method' | 'url'>): Promise<Response> | undefined => {
    isOver ||= method !== 'GET' || performance.now() > until
    if (isOver) asked.clear()
    if (isOver || asked.has(url)) return undefined
    asked.add(url)
    const answer = globalThis.waymarkEarly?.get(url)
    globalThis.waymarkEarly?.delete(url)
    return answer
  }
}
