// Responses that the page requested before the app was loaded (src/site/assets/early.js). They show the state when the page
// was opened: each may answer the app's first request for its URL, and none is used after a change.
declare global {
  var waymarkEarly: Map<string, Promise<Response>> | undefined
}

/** By then the app has requested what its first page needs. */
const maxMs = 30_000

/** @returns a function that takes the early response to a request; it returns undefined if there is none to use. */
export function createTakeEarly() {
  const until = performance.now() + maxMs
  /** URLs that the app has requested. The script may run after the app, and then has responses that are not needed. */
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
