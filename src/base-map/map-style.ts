// Checks what a map style from another origin needs against our pages' security policy: a browser that blocks a tile
// reports it only on its console.

/** A style has a handful of sources; each may have its own description. */
const maxDescriptions = 8
/** Total limit: a malicious host could name hundreds of thousands in 4 MB. */
const maxAddresses = 2_000
/** They become part of a header of every page. */
const maxOrigins = 20

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])

/** URLs may be relative; those with other schemes or host patterns are left to the browser. */
function addressOf(value: unknown, base: string): URL | undefined {
  const url = typeof value === 'string' ? URL.parse(value, base) : null
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : undefined
}

export interface ReadDocument {
  readonly document: Readonly<Record<string, unknown>>
  /** The URL after redirects. */
  readonly address: string
}

/**
 * Sends the request of a browser on one of our pages. @throws Error that completes a sentence, such as "answers 404".
 */
export type ReadJson = (address: string) => Promise<ReadDocument>

/**
 * Every origin that a page with this style contacts, including its own; the descriptions of its sources (TileJSON)
 * are read as well. @throws Error that completes a sentence.
 */
export async function originsOfStyle(styleUrl: string, readJson: ReadJson): Promise<readonly string[]> {
  const { document: style, address: styleAddress } = await readJson(styleUrl)
  if (!isObject(style['sources']) || !Array.isArray(style['layers'])) throw new Error('is not a map style')
  const found = new Set([new URL(styleUrl).origin, new URL(styleAddress).origin])
  let addresses = 0
  const note = (value: unknown, base: string): URL | undefined => {
    addresses += 1
    if (addresses > maxAddresses) throw new Error(`names more than ${maxAddresses} addresses`)
    const url = addressOf(value, base)
    if (url) found.add(url.origin)
    return url
  }
  note(style['glyphs'], styleUrl)
  for (const sprite of listOf(style['sprite'])) note(isObject(sprite) ? sprite['url'] : sprite, styleUrl)
  const described: string[] = []
  for (const { url, tiles, data } of Object.values(style['sources']).filter(isObject)) {
    for (const tile of listOf(tiles)) note(tile, styleUrl)
    note(data, styleUrl)
    const description = note(url, styleUrl)
    if (description) described.push(description.href)
  }
  const descriptions = await Promise.all(described.slice(0, maxDescriptions).map(readJson))
  for (const [index, { document, address }] of descriptions.entries()) {
    found.add(new URL(address).origin)
    for (const tile of listOf(document['tiles'])) note(tile, described[index] ?? address)
  }
  if (found.size > maxOrigins) throw new Error(`loads from more than ${maxOrigins} origins`)
  return [...found]
}

export interface StyleInForce {
  readonly url: string
  /** All origins that pages may load from, including our own. */
  readonly allowed: readonly string[]
  /** Chosen by an admin, not by a setting. */
  readonly isChosen: boolean
}

/** The problem of an active style, in one sentence; undefined if there is none. */
export async function troubleWithStyle(
  { url, allowed, isChosen }: StyleInForce,
  readJson: ReadJson,
): Promise<string | undefined> {
  try {
    const missing = (await originsOfStyle(url, readJson)).filter((origin) => !allowed.includes(origin))
    if (missing.length === 0) return undefined
    const mend = isChosen
      ? 'choose it again on the admin page to allow them'
      : 'add them to MAP_STYLE_ORIGINS'
    return `The map style ${url} loads from ${missing.join(' and ')}, which browsers block on this site's pages: ${mend}.`
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return `The map style ${url} could not be checked from this server: ${why}. Maps show country outlines if browsers cannot read it either.`
  }
}
