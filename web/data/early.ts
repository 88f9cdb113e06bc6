// Responses that the page requested before the app was loaded (src/site/assets/early.js): each is used once.
declare global {
  var waymarkEarly: Map<string, Promise<Response>> | undefined
}

/** @returns undefined if it was not requested, or was already used. */
export function takeEarly({ method, url }: Pick<Request, 'method' | 'url'>): Promise<Response> | undefined {
  const answer = method === 'GET' ? globalThis.waymarkEarly?.get(url) : undefined
  if (answer !== undefined) globalThis.waymarkEarly?.delete(url)
  return answer
}
