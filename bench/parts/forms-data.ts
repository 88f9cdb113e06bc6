// Data for the request forms: trails with a page of photos each, keys, routes, and photos to be changed.
import { addPhotos, copyPhotos } from './image-rows.ts'
import { prepareData } from './ours.ts'
import { paintPhotos } from './photos.ts'
import { addRoutes } from './route-rows.ts'

/** Requested repeatedly and never changed. */
export const quietTrail = 4711
const pageOf = 50
/** An account may have at most a hundred keys. */
const keyAccounts = 10
const keysOfAccount = 100
const firstOther = 10_000
const routeCount = 1_000
const gpxBytes = 2_000

export interface FormsData {
  readonly memberId: number
  readonly token: string
  readonly keys: readonly string[]
  /** Of the unchanged trail. */
  readonly imageIds: readonly number[]
  readonly routeIds: readonly number[]
  /** With a page of 20 photos each; the first photo of each may be changed. */
  readonly others: readonly { readonly trailId: number; readonly imageIds: readonly number[] }[]
}

export const fillForms = (dataDir: string, isQuick: boolean): Promise<FormsData> =>
  prepareData(dataDir, async (filling) => {
    const memberId = await filling.addAccount('Hannah Ridge')
    const adminId = await filling.addAccount('Ann', 'admin')
    // Each creates two events, which fills a page of changes.
    const photos = await paintPhotos(10, { width: 800, height: 600 }, 80)
    await filling.addTrail(1, 'Aside')
    const [imageId = 0] = await addPhotos(filling, { trailId: 1, memberId, adminId }, photos)
    await filling.addTrail(quietTrail, 'Appalachian Trail')
    const imageIds = await copyPhotos(filling, { imageId, trailId: quietTrail, count: pageOf })
    const others: { trailId: number; imageIds: readonly number[] }[] = []
    for (let index = 0; index < (isQuick ? 64 : 256); index += 1) {
      const trailId = firstOther + index
      await filling.addTrail(trailId, `Trail ${index}`)
      others.push({ trailId, imageIds: await copyPhotos(filling, { imageId, trailId, count: 20 }) })
    }
    const keys: string[] = []
    for (let account = 0; account < (isQuick ? 1 : keyAccounts); account += 1) {
      const id = await filling.addAccount(`Reader ${account}`)
      for (let index = 0; index < keysOfAccount; index += 1) keys.push(await filling.addKey(id))
    }
    const routeIds = await addRoutes(filling, memberId, { count: isQuick ? 20 : routeCount, gpxBytes })
    return { memberId, token: await filling.addToken(memberId), keys, imageIds, routeIds, others }
  })
