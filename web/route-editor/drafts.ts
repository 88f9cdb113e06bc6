// Unsaved changes, stored in this browser (IndexedDB), so that a reload or an empty battery loses nothing.
import { openDB, type DBSchema, type IDBPDatabase } from 'idb'
import type { GpxWaypoints } from '../../src/shared/gpx/gpx-document.ts'
import { lineOf, positionsOf, type Position } from '../../src/shared/geo/points.ts'
import { cut, flattened, type Chunk } from './columns.ts'
import type { RouteMeter } from './route-meter.ts'
import { isAsImported, type RouteState, type Segment, type Source } from './route-state.ts'

/** For a new route, or for changes of a saved one; each account has its own. */
export type DraftKey = `${number} new` | `${number} route ${number}`

interface StoredSegment {
  readonly kind: Segment['kind']
  readonly group: number
  readonly name: string | undefined
  readonly inSource?: number | undefined
  /** Joined: the browser takes ten times as long to store two thousand small arrays. */
  readonly columns: Omit<Chunk, 'origins'> & Partial<Pick<Chunk, 'origins'>>
  readonly counts: readonly number[]
  /** Per chunk, because measuring 400,000 points again would block the page. */
  readonly miles: readonly number[]
}

interface StoredDraft {
  readonly savedAtMs: number
  readonly name: string
  readonly description: string
  readonly visibility: RouteState['visibility']
  /** Missing in drafts of an older version of the app. */
  readonly shares?: RouteState['shares']
  readonly statedMiles: number | undefined
  readonly segments: readonly StoredSegment[]
  readonly waypoints:
    | { readonly points: readonly Position[]; readonly names: ReadonlyMap<number, string> }
    | undefined
  /** The imported text. */
  readonly sourceText: string | undefined
  /** The rest of the source; older drafts do not have it, and stored the text only if nothing was edited. */
  readonly source?: Pick<Source, 'groups' | 'hasPointData'> & { readonly isEdited: boolean }
  /** The version that was changed. */
  readonly etag: string | undefined
  /**
   * Idempotency key of the request that creates the route: the same after a reload, so that a lost response creates no
   * second route.
   */
  readonly idempotencyKey: string | undefined
}

export interface Draft {
  readonly savedAtMs: number
  readonly state: RouteState
  readonly etag: string | undefined
  readonly idempotencyKey: string | undefined
}

interface DraftSchema extends DBSchema {
  drafts: { key: string; value: StoredDraft }
}

function storedDraftOf(
  state: RouteState,
  meter: RouteMeter,
  rest: Pick<StoredDraft, 'savedAtMs' | 'etag' | 'idempotencyKey'>,
): StoredDraft {
  const { name, description, visibility, shares, statedMiles, segments, waypoints, source } = state
  return {
    ...rest,
    name,
    description,
    visibility,
    shares,
    statedMiles,
    segments: segments.map(({ kind, group, name: lineName, inSource, chunks }) => ({
      kind,
      group,
      name: lineName,
      inSource,
      columns: flattened(chunks),
      counts: chunks.map(({ count }) => count),
      miles: chunks.map(meter.milesOf),
    })),
    waypoints: waypoints && { points: [...positionsOf(waypoints.line)], names: waypoints.names },
    sourceText: source?.text,
    ...(source && {
      source: {
        groups: source.groups,
        hasPointData: source.hasPointData,
        isEdited: !isAsImported(state),
      },
    }),
  }
}

function stateOf(draft: StoredDraft, meter: RouteMeter): RouteState {
  const { name, description, visibility, shares = [], statedMiles, sourceText } = draft
  const segments = draft.segments.map(
    ({ kind, group, name: lineName, inSource, columns, counts }): Segment => ({
      kind,
      group,
      name: lineName,
      inSource,
      chunks: cut({ origins: new Float64Array(columns.count).fill(NaN), ...columns }, counts),
    }),
  )
  for (const [segment, { miles }] of draft.segments.entries())
    for (const [at, chunk] of (segments[segment]?.chunks ?? []).entries()) meter.know(chunk, miles[at] ?? 0)
  const waypoints: GpxWaypoints | undefined = draft.waypoints && {
    line: lineOf(draft.waypoints.points),
    names: draft.waypoints.names,
  }
  const source = sourceText === undefined ? undefined : sourceOf(draft, sourceText, { segments, waypoints })
  return { name, description, visibility, shares, statedMiles, segments, waypoints, source }
}

function sourceOf(
  { source }: StoredDraft,
  text: string,
  { segments, waypoints }: Pick<Source, 'segments' | 'waypoints'>,
): Source {
  const groups = source?.groups ?? segments.reduce((max, { group }) => Math.max(max, group + 1), 0)
  const hasPointData = source?.hasPointData ?? false
  // Once edited, the document never again matches the route.
  const readAs = source?.isEdited === true ? [...segments] : segments
  return { text, groups, hasPointData, segments: readAs, waypoints }
}

const channelName = 'waymark.route-drafts'

const isOf = (accountId: number, key: string): boolean => key.startsWith(`${accountId} `)

/** If the browser stores nothing, as in some private windows or with a full disk, there are silently no drafts. */
export function createDrafts() {
  let opened: Promise<IDBPDatabase<DraftSchema> | undefined> | undefined
  const open = () => {
    opened ??= openDB<DraftSchema>('waymark.route-drafts', 1, {
      upgrade: (database) => void database.createObjectStore('drafts'),
    }).catch(() => undefined)
    return opened
  }
  const keysOf = async (accountId: number): Promise<readonly string[]> => {
    const keys = await (await open())?.getAllKeys('drafts').catch(() => undefined)
    return (keys ?? []).filter((key) => isOf(accountId, key))
  }
  return {
    read: async (key: DraftKey, meter: RouteMeter): Promise<Draft | undefined> => {
      const kept = await (await open())?.get('drafts', key).catch(() => undefined)
      if (kept === undefined) return undefined
      const { savedAtMs, etag, idempotencyKey } = kept
      return { savedAtMs, state: stateOf(kept, meter), etag, idempotencyKey }
    },
    write: async (key: DraftKey, meter: RouteMeter, { state, ...rest }: Draft): Promise<void> => {
      await (await open())?.put('drafts', storedDraftOf(state, meter, rest), key).catch(() => undefined)
    },
    remove: async (key: DraftKey): Promise<void> => {
      await (await open())?.delete('drafts', key).catch(() => undefined)
    },
    keysOf,
    /** Signing out deletes the drafts; an editor that is open in any tab does not write them again. */
    removeAll: async (accountId: number): Promise<void> => {
      const channel = new BroadcastChannel(channelName)
      channel.postMessage(accountId)
      for (const key of await keysOf(accountId)) await (await open())?.delete('drafts', key)
      channel.close()
    },
    /** @returns a function that ends it. */
    onRemovedAll: (key: DraftKey, listener: () => void): (() => void) => {
      const channel = new BroadcastChannel(channelName)
      channel.addEventListener('message', ({ data }: MessageEvent<number>) => {
        if (isOf(data, key)) listener()
      })
      return () => channel.close()
    },
  }
}

export type Drafts = ReturnType<typeof createDrafts>
