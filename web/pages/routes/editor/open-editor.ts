// Opens the editor with the saved route, and with the unsaved draft on top if there is one.
import type { Waymark } from '../../../../client/client.ts'
import { createDrafts, type DraftKey, type Drafts } from '../../../route-editor/drafts.ts'
import { createEditor, type Editor } from '../../../route-editor/editor.ts'
import { loadGpx } from '../../../route-editor/gpx-loader.ts'
import type { RouteMeter } from '../../../route-editor/route-meter.ts'
import { emptyRoute, type RouteState } from '../../../route-editor/route-state.ts'
import { editorStrings } from '../../../strings/route-editor.ts'

const { steps } = editorStrings

/** The version of the route on the server that this page knows. */
export interface SavedRoute {
  readonly state: RouteState
  /** Undefined while the server has none. */
  readonly routeId: number | undefined
  readonly etag: string | undefined
}

export interface OpenedEditor {
  readonly editor: Editor
  readonly drafts: Drafts
  readonly draftKey: DraftKey
  readonly saved: SavedRoute
  /** Details of the restored draft. */
  readonly draftSavedAtMs: number | undefined
  readonly idempotencyKey: string | undefined
}

export const draftKeyOf = (accountId: number, routeId: number | undefined): DraftKey =>
  routeId === undefined ? `${accountId} new` : `${accountId} route ${routeId}`

/** @throws WaymarkProblem; an Error if its gpx cannot be read. */
export async function fetchSaved(waymark: Waymark, routeId: number, meter: RouteMeter): Promise<SavedRoute> {
  const { data: route, etag } = await waymark.routes.getWithEtag(routeId)
  const { name, description, visibility, shares = [], length, isLengthStated, gpx } = route
  const statedMiles = isLengthStated === true ? length : undefined
  const texts = { name, description, visibility, shares, statedMiles }
  if (gpx === '') return { state: { ...emptyRoute, ...texts }, routeId, etag }
  const outcome = await loadGpx(new Blob([gpx]), { meter })
  if (!outcome.ok) throw new Error(outcome.detail)
  const { segments, waypoints, source } = outcome.imported
  // As stored, including a byte-order mark, which parsing removes.
  const exact = source && { ...source, text: gpx }
  return { state: { ...texts, segments, waypoints, source: exact }, routeId, etag }
}

interface OpenOptions {
  readonly waymark: Waymark
  readonly accountId: number
  readonly routeId: number | undefined
}

export async function openEditor({ waymark, accountId, routeId }: OpenOptions): Promise<OpenedEditor> {
  const editor = createEditor()
  const drafts = createDrafts()
  const draftKey = draftKeyOf(accountId, routeId)
  const saved =
    routeId === undefined
      ? { state: emptyRoute, routeId, etag: undefined }
      : await fetchSaved(waymark, routeId, editor.meter)
  const draft = await drafts.read(draftKey, editor.meter)
  editor.reset(saved.state)
  if (draft) editor.replace(draft.state, steps.restoreDraft)
  return {
    editor,
    drafts,
    draftKey,
    // Concurrent changes are detected when it is saved.
    saved: { ...saved, etag: draft?.etag ?? saved.etag },
    draftSavedAtMs: draft?.savedAtMs,
    idempotencyKey: draft?.idempotencyKey,
  }
}
