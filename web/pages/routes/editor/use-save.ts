// Saves the route, and reports a concurrent change; if anything fails, the editor loses nothing.
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import { isWaymarkProblem, type RouteSummary } from '../../../../client/client.ts'
import { randomKey } from '../../../../client/client.ts'
import { gpxLimits } from '../../../../src/shared/gpx/gpx.ts'
import { keys } from '../../../data/keys.ts'
import { useViewer } from '../../../data/site.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { byteLength, gpxOf } from '../../../route-editor/route-file.ts'
import type { RouteState } from '../../../route-editor/route-state.ts'
import { draftKeyOf, fetchSaved, type OpenedEditor, type SavedRoute } from './open-editor.ts'
import { editorKey } from './editor-key.ts'
import { editorStrings } from '../../../strings/route-editor.ts'

const { steps } = editorStrings

export type SaveState =
  | { readonly is: 'idle' | 'saving' | 'saved' | 'conflict' }
  | { readonly is: 'too-large'; readonly bytes: number }
  | { readonly is: 'failed'; readonly error: unknown }

const isLineSame = (one: RouteState, other: RouteState): boolean =>
  one.segments === other.segments && one.waypoints === other.waypoints

/** The gpx is sent only if the line has changed; text changes need not carry megabytes. */
async function bodyOf(state: RouteState, saved: SavedRoute) {
  const { name, description, visibility, shares, statedMiles } = state
  const texts = { name, description, visibility, shares: [...shares], length: statedMiles ?? null }
  if (saved.routeId !== undefined && isLineSame(state, saved.state)) return texts
  return { ...texts, gpx: await gpxOf(state) }
}

export function useSave(opened: OpenedEditor) {
  const { editor, drafts } = opened
  const waymark = useWaymark()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const accountId = useViewer()?.acctID
  const [saved, setSaved] = useState(opened.saved)
  const [saveState, setSaveState] = useState<SaveState>({ is: 'idle' })
  /** Key of the request that creates the route: another body needs another key. */
  const making = useRef<{ readonly state: RouteState | undefined; readonly key: string }>({
    state: opened.idempotencyKey === undefined ? undefined : editor.settled(),
    key: opened.idempotencyKey ?? randomKey(),
  })
  const isBusy = useRef(false)

  const create = useCallback(
    async (state: RouteState, body: Awaited<ReturnType<typeof bodyOf>>): Promise<SavedRoute> => {
      if (accountId === undefined) throw new Error('not signed in')
      if (making.current.state !== state) making.current = { state, key: randomKey() }
      const { key: idempotencyKey } = making.current
      await drafts.write(opened.draftKey, editor.meter, {
        state,
        savedAtMs: Date.now(),
        etag: undefined,
        idempotencyKey,
      })
      const { routeID } = await waymark.routes.create(accountId, body, { idempotencyKey })
      const { etag } = await waymark.send('HEAD', `/v2/routes/${routeID}`)
      return { state, routeId: routeID, etag }
    },
    [accountId, drafts, editor, opened, waymark],
  )

  const store = useCallback(
    async (from: SavedRoute): Promise<void> => {
      const state = editor.settled()
      const body = await bodyOf(state, from)
      const bytes = 'gpx' in body ? byteLength(body.gpx) : 0
      if (bytes > gpxLimits.maxBytes) return setSaveState({ is: 'too-large', bytes })
      if (from.routeId === undefined) {
        const made = await create(state, body)
        await drafts.remove(opened.draftKey)
        if (made.routeId === undefined || accountId === undefined) return undefined
        // The same editor continues at the route's own URL, with its undo stack.
        const draftKey = draftKeyOf(accountId, made.routeId)
        queries.setQueryData(editorKey(made.routeId), {
          ...opened,
          draftKey,
          saved: made,
          draftSavedAtMs: undefined,
          idempotencyKey: undefined,
        } satisfies OpenedEditor)
        setSaved(made)
        setSaveState({ is: 'saved' })
        await navigate({
          to: '/routes/$routeId/edit',
          params: { routeId: String(made.routeId) },
          replace: true,
        })
        return undefined
      }
      const { etag } = await waymark.send<RouteSummary>('PATCH', `/v2/routes/${from.routeId}`, {
        body,
        ifMatch: from.etag,
      })
      setSaved({ ...from, state, etag })
      await drafts.remove(opened.draftKey)
      return setSaveState({ is: 'saved' })
    },
    [accountId, create, drafts, editor, navigate, opened, queries, waymark],
  )

  const attempt = useCallback(
    async (work: () => Promise<void>): Promise<void> => {
      if (isBusy.current) return
      isBusy.current = true
      setSaveState({ is: 'saving' })
      try {
        await work()
        await queries.invalidateQueries({ queryKey: keys.routes })
      } catch (error) {
        const isConflict = isWaymarkProblem(error) && error.status === 412
        setSaveState(isConflict ? { is: 'conflict' } : { is: 'failed', error })
      } finally {
        isBusy.current = false
      }
    },
    [queries],
  )

  const latest = useRef({ saved, store })
  useEffect(() => {
    latest.current = { saved, store }
  })
  const save = useCallback(() => void attempt(() => latest.current.store(latest.current.saved)), [attempt])

  /** Both read the current version first, since that is what is overwritten or taken over. */
  const theirs = async (): Promise<SavedRoute> => {
    const { routeId } = latest.current.saved
    if (routeId === undefined) throw new Error('nothing is saved yet')
    return fetchSaved(waymark, routeId, editor.meter)
  }
  const keepMine = () =>
    void attempt(async () => {
      await latest.current.store(await theirs())
    })
  const loadTheirs = () =>
    void attempt(async () => {
      const other = await theirs()
      setSaved(other)
      editor.replace(other.state, steps.loadTheirs)
      setSaveState({ is: 'idle' })
    })

  return { saved, saveState, save, keepMine, loadTheirs, dismiss: () => setSaveState({ is: 'idle' }) }
}

export type Save = ReturnType<typeof useSave>
