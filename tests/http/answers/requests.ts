// Raw requests for routes, and whether they were answered from the cache.
import assert from 'node:assert/strict'
import type { Person, Waymark } from '../../helpers/waymark.ts'
import { parseAnswer, say } from '../../helpers/wire.ts'

export const gpxOf = (points: number): string => {
  const point = (_: unknown, index: number) => `<trkpt lat="${(45 + index * 0.001).toFixed(4)}" lon="7.5"/>`
  return `<gpx version="1.1" creator="ä" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>${Array.from({ length: points }, point).join('')}</trkseg></trk></gpx>`
}

export async function addRoute(
  to: Waymark,
  { accountId, token }: Person,
  gpx: string,
  name = 'Ridge',
): Promise<string> {
  const answer = await to.fetch(`/Accounts/${accountId}/Routes`, {
    method: 'POST',
    token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([{ name, description: '', length: 0, gpx }]),
  })
  assert.equal(answer.status, 201)
  return answer.text()
}

export const host = 'Host: trails.example'

export const head = (target: string, ...headers: string[]): string =>
  [`GET ${target} HTTP/1.1`, ...headers, '', ''].join('\r\n')

/** The end of a response with JSON, XML or no body. */
export const isDone = /\r\n\r\n(?:[\s\S]*[}>\n]$|$)/

/** A header without effect, which prevents a cached response. */
export const ordinarily = 'If-Unmodified-Since: Thu, 14 May 2026 09:08:07 GMT'

/** @returns the response, and whether it came from the cache. */
export async function askAt(to: Waymark, request: string, until = isDone) {
  const before = to.app.answersFromMemory()
  const answer = parseAnswer(await say(to.url, request, { until }))
  return { answer, isKept: to.app.answersFromMemory() > before }
}
