// Images in v2 form, as JSON, each cached until a commit changes it: pages of many are joined from these texts.
import type { Actor, GuardedImage } from '../auth/guard.ts'
import type { Changes } from '../commits.ts'
import type { Db } from '../database/database.ts'
import { createPreparedRows, padded } from '../database/prepared-rows.ts'
import type { ImageState } from '../database/schema.ts'
import { createBoundedCache, entryBytes } from '../shared/bounded-cache.ts'
import { selectImages, type Image } from './image-table.ts'
import type { Present, V2Texts } from './present.ts'

/** Some 5,000 images. */
const maxBytes = 12 * 1024 ** 2

export interface ImageText {
  readonly state: ImageState
  readonly json: string
}

/** For all callers. */
interface CachedText extends V2Texts {
  readonly image: GuardedImage
  /** The count of commits before it was read. */
  readonly since: number
}

export interface ImageTextsDependencies {
  readonly db: Db
  readonly changes: Changes
  readonly present: Pick<Present, 'v2Text' | 'v2Texts'>
}

export function createImageTexts({ db, changes, present }: ImageTextsDependencies) {
  const texts = createBoundedCache<CachedText, number>({
    max: maxBytes,
    sizeOf: ({ start, exact, otherwise }) => entryBytes + start.length + exact.length + otherwise.length,
  })
  const ask = createPreparedRows(db)

  const read = (ids: readonly number[]): Promise<Image[]> => {
    const values = padded(ids)
    return ask<Image>({
      shape: String(values.length),
      values,
      build: (slot) =>
        selectImages(db)
          .where(
            'image.id',
            'in',
            values.map((_value, place) => slot(place)),
          )
          .where('image.state', '!=', 'deleted'),
    })
  }

  function keep(image: Image, since: number): CachedText {
    const { state, submitterId, trailId } = image
    const text = { ...present.v2Texts(image), image: { state, submitterId, trailId }, since }
    texts.set(image.id, text)
    return text
  }

  const textFor = (actor: Actor, cached: CachedText): ImageText => ({
    state: cached.image.state,
    json: present.v2Text(actor, cached.image, cached),
  })

  return {
    /** The text of an image whose row was just read. @param since the count of commits before it was read. */
    of: (actor: Actor, image: Image, since: number): string => {
      const cached = texts.get(image.id)
      const isGood = cached !== undefined && changes.isUnchangedSince(cached.since, [`image:${image.id}`])
      return textFor(actor, isGood ? cached : keep(image, since)).json
    },

    /** By id; without those that are not there any more. */
    find: async (actor: Actor, ids: readonly number[]): Promise<ReadonlyMap<number, ImageText>> => {
      const found = new Map<number, ImageText>()
      const missing: number[] = []
      for (const id of ids) {
        const cached = texts.get(id)
        if (cached !== undefined && changes.isUnchangedSince(cached.since, [`image:${id}`]))
          found.set(id, textFor(actor, cached))
        else missing.push(id)
      }
      const since = changes.count()
      const images = missing.length === 0 ? [] : await read(missing)
      for (const image of images) found.set(image.id, textFor(actor, keep(image, since)))
      return found
    },
  }
}

export type ImageTexts = ReturnType<typeof createImageTexts>
