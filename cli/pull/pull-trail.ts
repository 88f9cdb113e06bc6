// One trail: its list, its images in order, and images that the other server no longer lists.
import { findPulled } from '../../src/database/pulled-table.ts'
import { findPlaces, listPlaced } from '../../src/images/pulled/pulled-images-table.ts'
import { findTrail } from '../../src/trails/trail-table.ts'
import { fail } from '../failures.ts'
import { askList, type AskedList } from './ask-list.ts'
import { readListFile } from './list-file.ts'
import { stepsIntoOrder } from './list-order.ts'
import { noteLoss, type PullContext } from './pull-context.ts'
import type { ImagePull } from './pull-images.ts'
import { keepTrail } from './pull-trail-row.ts'
import { isRead, readListedImage, type ListedImage } from './listed-image.ts'

/** A trail to pull, with its name from the file. */
export interface WantedTrail {
  readonly id: number
  readonly name?: string
  readonly slug?: string | undefined
}

const idsAtOnce = 500
const root = 'TrailImageDetails'

function* chunksOf<T>(list: readonly T[], size: number): Generator<T[], void> {
  for (let from = 0; from < list.length; from += size) yield list.slice(from, from + size)
}

export function createTrailPull(context: PullContext, imagePull: ImagePull) {
  const { state, isFrom, base, apiKey, prefersXml, isDryRun, db, images, counts, signal, show } = context

  function urlOf({ id }: WantedTrail): URL {
    const url = new URL(`${base}/Trails/${id}/Images/`)
    url.searchParams.set('api_key', apiKey)
    return url
  }

  /** @throws if the API key cannot read the lists: then none of them is available. */
  async function tellMissing(trail: WantedTrail, asked: Exclude<AskedList, { how: 'list' }>): Promise<void> {
    const of = { what: 'trail', id: String(trail.id) } as const
    if (asked.how === 'left') return noteLoss(context, asked.code, of, asked.detail)
    if (asked.status === 401 || asked.status === 403)
      throw fail('signed-out', `The other server refuses the API key (it responded with ${asked.status}).`)
    if (asked.status === 404) return noteLoss(context, 'not-found', of)
    return noteLoss(context, 'unanswered', of, `It responded with ${asked.status}.`)
  }

  /** A trail without images is created if it has a name. */
  async function takeEmpty({ id, name, slug = '' }: WantedTrail): Promise<void> {
    if (name !== undefined) await keepTrail(context, { id, name, slug })
    else if (await findTrail(db, id)) counts.trails.unchanged += 1
    else await noteLoss(context, 'trail-unnamed', { what: 'trail', id: String(id) })
  }

  /**
   * Late photos are moved to their position in the list, for example one that was approved there since the last pull.
   */
  async function restoreOrder(trailId: number, ids: readonly number[]): Promise<void> {
    const places = new Map<number, number>()
    for (const chunk of chunksOf(ids, idsAtOnce))
      for (const [id, seq] of await findPlaces(db, chunk)) places.set(id, seq)
    const here = ids.flatMap((id) => {
      const seq = places.get(id)
      return seq === undefined ? [] : [{ id, seq }]
    })
    for (const moves of stepsIntoOrder(here)) {
      signal.throwIfAborted()
      await images.reorder(trailId, moves)
    }
  }

  async function tellGone(trailId: number, listed: ReadonlySet<number>): Promise<void> {
    for (let after = 0; ;) {
      const page = await listPlaced(db, trailId, after, idsAtOnce)
      const unlisted = page.map(({ id }) => id).filter((id) => !listed.has(id))
      for (const [id, last] of await findPulled(db, 'image', unlisted))
        if (isFrom(last.source))
          await noteLoss(context, 'no-longer-there', { what: 'image', id: String(id), trailID: trailId })
      const last = page.at(-1)
      if (last === undefined || page.length < idsAtOnce) return
      after = last.seq
    }
  }

  async function takeList(trail: WantedTrail, { stored, count }: Extract<AskedList, { how: 'list' }>) {
    const order: number[] = []
    const listed = new Set<number>()
    let batch: ListedImage[] = []
    let seen = 0
    let isKept: boolean | undefined
    const flush = async (): Promise<void> => {
      for (const { id } of await imagePull.take(batch)) order.push(id)
      seen += batch.length
      batch = []
      const { new: made } = counts.images
      show(
        `trail ${trail.id}, ${seen.toLocaleString('en')} of ${count.toLocaleString('en')} images, ${made} new`,
      )
    }
    for await (const fields of readListFile(stored.file, { root, contentType: stored.contentType })) {
      const image = readListedImage(fields, trail.id)
      if (!isRead(image)) {
        const of = { what: 'image', id: image.id, trailID: trail.id } as const
        await noteLoss(context, image.code, of, image.detail)
        continue
      }
      isKept ??= await keepTrail(context, { id: trail.id, name: image.trailName, slug: image.slug })
      if (!isKept) return
      if (listed.has(image.id)) continue // listed twice, stored once
      listed.add(image.id)
      batch.push(image)
      if (batch.length >= imagePull.imagesAtOnce) await flush()
    }
    await flush()
    await imagePull.finish()
    if (isDryRun) return
    await restoreOrder(trail.id, order)
    await tellGone(trail.id, listed)
  }

  return async (trail: WantedTrail): Promise<void> => {
    if (state.isLeft('trail', String(trail.id))) return
    show(`trail ${trail.id}`)
    const url = urlOf(trail)
    const asked = await askList(context, { of: `trail ${trail.id}`, root, url, prefersXml })
    if (asked.how !== 'list') return tellMissing(trail, asked)
    if (asked.count === 0) await takeEmpty(trail)
    else await takeList(trail, asked)
  }
}
