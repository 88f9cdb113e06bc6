// The page cache. An entry is valid until a commit affects its data, and serves all variants of its URL, whatever
// else is in the query. The answer cache (http/answers/) sends cached answers without reaching this code.
import type { Changes, Tag } from '../commits.ts'
import { compress, createCodingsReader, type Coding } from '../http/content-codings.ts'
import { createBoundedCache, entryBytes } from '../shared/bounded-cache.ts'
import { createSingleFlight } from '../shared/single-flight.ts'

export interface MadePage {
  readonly status: number
  /** For a page that exists for no one, signed in or not. */
  readonly isForNobody?: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** Undefined if it must not be cached. */
  readonly dependsOn: readonly Tag[] | undefined
  readonly isStill: () => boolean
}

interface CachedPage extends MadePage {
  /** Number of commits before it was rendered. */
  readonly since: number
  readonly coded: Map<Coding, Promise<Uint8Array>>
}

export interface CodedPage extends MadePage {
  readonly coding: Coding
  readonly body: Uint8Array | string
}

/**
 * With a single character outside Latin-1, such as a dash, a string takes two bytes per character; the rest is for
 * the compressed variants.
 */
const bytesOfCharacter = 2.5
/** No browser sends longer names, and they would use more memory than accounted for. */
const maxNameLength = 2_048
/** Best compression first: a page is compressed once and sent many times. */
const preferred = ['br', 'gzip', 'zstd'] as const
/** Shorter pages fit into one packet uncompressed. */
const minCompressed = 1_024

export function createPageStore({
  changes,
  maxBytes,
}: {
  readonly changes: Changes
  readonly maxBytes: number
}) {
  const pages = createBoundedCache<CachedPage>({
    max: maxBytes,
    sizeOf: ({ text }) => entryBytes + Math.ceil(text.length * bytesOfCharacter),
  })
  /** By name and number of commits: a request after a commit never waits for a page that was started before it. */
  const underWay = createSingleFlight<string, CachedPage>()
  const readCodings = createCodingsReader()

  function find(name: string): CachedPage | undefined {
    const page = pages.get(name)
    if (page?.dependsOn === undefined) return undefined
    return changes.isUnchangedSince(page.since, page.dependsOn) && page.isStill() ? page : undefined
  }

  async function make(name: string, since: number, made: () => Promise<MadePage>): Promise<CachedPage> {
    const page: CachedPage = { ...(await made()), since, coded: new Map() }
    const isKept = name.length <= maxNameLength && page.dependsOn !== undefined
    if (isKept && changes.isUnchangedSince(since, page.dependsOn)) pages.set(name, page)
    return page
  }

  async function coded(page: CachedPage, acceptEncoding: string | undefined): Promise<CodedPage> {
    const accepted = page.text.length < minCompressed ? [] : readCodings(acceptEncoding)
    const coding = preferred.find((one) => accepted.includes(one)) ?? 'identity'
    if (coding === 'identity') return { ...page, coding, body: page.text }
    const known = page.coded.get(coding) ?? compress(Buffer.from(page.text), coding)
    page.coded.set(coding, known)
    return { ...page, coding, body: await known }
  }

  return {
    /** @param since the number of commits before anything was read for this request. */
    find: async (
      {
        name,
        since,
        acceptEncoding,
      }: {
        readonly name: string
        readonly since: number
        readonly acceptEncoding: string | undefined
      },
      made: () => Promise<MadePage>,
    ): Promise<CodedPage> => {
      const page = find(name) ?? (await underWay.run(`${since}\n${name}`, () => make(name, since, made)))
      return coded(page, acceptEncoding)
    },
  }
}

export type PageStore = ReturnType<typeof createPageStore>
