// Answers that the page asked for before the app was there (src/site/assets/early.js): each is taken once.
declare global {
  var waymarkEarly: Map<string, Promise<Response>> | undefined
}

/** @returns undefined where it was not asked for, or has been taken. */
export function takeEarly({ method, url }: Pick<Request, 'method' | 'url'>): Promise<Response> | undefined {
  const answer = method === 'GET' ? globalThis.waymarkEarly?.get(url) : undefined
  if (answer !== undefined) globalThis.waymarkEarly?.delete(url)
  return answer
}
