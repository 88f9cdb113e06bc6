// What a map style of another origin (MAP_STYLE_URL) needs, held against what the policy of our pages lets them load: a browser
// that refuses a tile tells nobody but its console.
import { originsElsewhere, type ShellSettings } from './shell.ts'

type Fetch = (url: string, init: RequestInit) => Promise<Response>

const timeoutMs = 5_000
/** A style names a handful of sources; each may have a description of its own. */
const maxDescriptions = 8

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])

/** Addresses may be relative; those of other schemes, and hosts that are patterns, are left to the browser. */
function addressOf(value: unknown, base: string): URL | undefined {
  const url = typeof value === 'string' ? URL.parse(value, base) : null
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : undefined
}

export interface StyleVerdict {
  readonly isFine: boolean
  readonly sentence: string
}

const warn = (sentence: string): StyleVerdict => ({ isFine: false, sentence })

/** Asks as a browser on one of our pages would. @throws a sentence's end. */
async function readJson(address: string, ours: string, send: Fetch): Promise<Record<string, unknown>> {
  const headers = { accept: 'application/json', origin: ours }
  const answer = await send(address, { headers, signal: AbortSignal.timeout(timeoutMs) })
  if (!answer.ok) throw new Error(`answers ${answer.status}`)
  const lets = answer.headers.get('access-control-allow-origin')
  const isOurs = new URL(address).origin === ours
  if (!isOurs && lets !== '*' && lets !== ours)
    throw new Error(`does not let pages of ${ours} read it (Access-Control-Allow-Origin)`)
  const body: unknown = await answer.json()
  if (!isObject(body)) throw new Error('is not a JSON object')
  return body
}

/** Every origin that a page with this style asks; the descriptions of its sources (TileJSON) are read as well. */
async function originsOf(styleUrl: string, ours: string, send: Fetch): Promise<ReadonlySet<string>> {
  const style = await readJson(styleUrl, ours, send)
  const found = new Set<string>()
  const note = (value: unknown, base: string): URL | undefined => {
    const url = addressOf(value, base)
    if (url) found.add(url.origin)
    return url
  }
  note(style['glyphs'], styleUrl)
  for (const sprite of listOf(style['sprite'])) note(isObject(sprite) ? sprite['url'] : sprite, styleUrl)
  const sources = isObject(style['sources']) ? Object.values(style['sources']).filter(isObject) : []
  const described: string[] = []
  for (const { url, tiles, data } of sources) {
    for (const tile of listOf(tiles)) note(tile, styleUrl)
    note(data, styleUrl)
    const description = note(url, styleUrl)
    if (description) described.push(description.href)
  }
  for (const address of described.slice(0, maxDescriptions)) {
    const { tiles } = await readJson(address, ours, send)
    for (const tile of listOf(tiles)) note(tile, address)
  }
  return found
}

/** For `waymark doctor` and the log of the start. */
export async function judgeMapStyle(settings: ShellSettings, send: Fetch = fetch): Promise<StyleVerdict> {
  const { mapStyleUrl, publicUrl } = settings
  if (mapStyleUrl === undefined) return { isFine: true, sentence: 'No map style is set (MAP_STYLE_URL).' }
  const ours = new URL(publicUrl).origin
  const allowed = new Set([ours, ...originsElsewhere(settings)])
  try {
    const needed = await originsOf(mapStyleUrl, ours, send)
    const missing = [...needed].filter((origin) => !allowed.has(origin))
    if (missing.length === 0)
      return { isFine: true, sentence: `The map style ${mapStyleUrl} loads from allowed origins alone.` }
    return warn(
      `The map style ${mapStyleUrl} loads from ${missing.join(' and ')}, which browsers block on this site's pages: add them to MAP_STYLE_ORIGINS.`,
    )
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return warn(
      `The map style ${mapStyleUrl} could not be checked from this server: ${why}. Maps show the shapes of the land where browsers cannot read it either.`,
    )
  }
}
