// What this browser stores of the signed-in account: counted before signing out, and deleted with it. If a session
// expires, it stays: photos and routes wait for the same user, and nobody else sees them.
import { markUploads } from './uploads-mark.ts'

/** What the server does not have yet. */
export interface Unsent {
  readonly photos: number
  readonly routes: number
}

/** The queue and the editor are large, and most pages have neither. */
async function openStores() {
  const [{ createStore }, { createDrafts }, { isOver }] = await Promise.all([
    import('../upload/store.ts'),
    import('../route-editor/drafts.ts'),
    import('../upload/photo.ts'),
  ])
  return { uploads: createStore({ onNoRoom: () => undefined }), drafts: createDrafts(), isOver }
}

export async function countUnsent(acctId: number): Promise<Unsent> {
  const { uploads, drafts, isOver } = await openStores()
  const photos = (await uploads.load()).filter((photo) => photo.acctId === acctId && !isOver(photo))
  return { photos: photos.length, routes: (await drafts.keysOf(acctId)).length }
}

/** Keys in localStorage and sessionStorage that reveal something about the user and belong to no account. */
const traces = ['waymark.route-place', 'waymark.docs.api-key']

/** Of this account only: data of other accounts in this browser waits for them. */
export async function deleteBrowserData(acctId: number): Promise<void> {
  const { uploads, drafts } = await openStores()
  const all = await uploads.load()
  const ids = all.filter((photo) => photo.acctId === acctId).map(({ id }) => id)
  // Any tab that sends them stops (upload/engine.ts).
  const channel = new BroadcastChannel('waymark.uploads')
  channel.postMessage({ type: 'removed', ids })
  await uploads.remove(ids)
  channel.close()
  await drafts.removeAll(acctId)
  markUploads(false)
  for (const storage of [localStorage, sessionStorage]) for (const name of traces) storage.removeItem(name)
}
