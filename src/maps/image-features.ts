// The listed images of a trail as GeoJSON (RFC 7946), written a few at a time: ten thousand are seven megabytes.
import { createHash } from 'node:crypto'
import { momentShownTo, type Actor, type TakenAtSetting } from '../auth/guard.ts'
import { openFields, takenFields } from '../images/capture/capture-fields.ts'
import { imageSizes } from '../shared/image-sizes.ts'
import { yieldTurn } from '../shared/yielding.ts'
import type { ImageProperties } from '../shared/v2/map-schemas.ts'
import type { Db } from '../database/database.ts'
import type { Chunks } from '../http/representation.ts'
import { countListed, listListedAfter, type ListedImage, type ListedSought } from './map-table.ts'

/** Some 3 ms. */
const rowsOfTurn = 200
/** Read and written for one unit of the rate limits. */
const imagesOfUnit = 300

export function createImageFeatures({
  db,
  imageHandlerUrl,
  takenAt,
}: {
  readonly db: Db
  readonly imageHandlerUrl: string
  /** Setting TAKEN_AT. */
  readonly takenAt: TakenAtSetting
}) {
  function propertiesOf(actor: Actor, image: ListedImage): ImageProperties {
    const isPlaced = image.latitude !== null
    const shown = momentShownTo(actor, { ...image, state: 'approved' }, takenAt)
    const urls = imageSizes.map((size) => [size, `${imageHandlerUrl}?id=${image.id}&t=${size}`])
    return {
      imageID: image.id,
      trailID: image.trailId,
      title: image.title,
      caption: image.caption,
      displayName: image.displayName,
      postedAt: new Date(image.postedAt).toISOString(),
      urls: Object.fromEntries(urls) as ImageProperties['urls'],
      ...openFields(image, isPlaced),
      ...takenFields(image, isPlaced, shown),
    }
  }

  function featureText(actor: Actor, image: ListedImage): string {
    const { latitude, longitude } = image
    const isPlaced = latitude !== null && longitude !== null
    const geometry = isPlaced ? { type: 'Point', coordinates: [longitude, latitude] } : null
    return JSON.stringify({ type: 'Feature', properties: propertiesOf(actor, image), geometry })
  }

  return {
    /**
     * All of them, in order of upload; or those in a box, or taken on some days.
     * @param charge counts what many of them cost, in units of the rate limits; it may throw.
     */
    ofTrail: async (
      actor: Actor,
      trailId: number,
      sought: Omit<ListedSought, 'after'>,
      charge: (cost: number) => void,
    ): Promise<Chunks> => {
      const hash = createHash('sha256')
      const chunks: string[] = []
      const add = (chunk: string): void => {
        hash.update(chunk)
        chunks.push(chunk)
      }
      add('{"type":"FeatureCollection","features":[')
      let after = 0
      for (;;) {
        const images = await listListedAfter(db, trailId, { ...sought, after }, rowsOfTurn)
        const last = images.at(-1)
        if (last !== undefined)
          add(`${after === 0 ? '' : ','}\n${images.map((image) => featureText(actor, image)).join(',\n')}`)
        if (last === undefined || images.length < rowsOfTurn) break
        // Once and beforehand: charged bit by bit, a list that costs more than the limit would refuse itself.
        if (after === 0) charge(Math.floor((await countListed(db, trailId)) / imagesOfUnit))
        after = last.seq
        await yieldTurn()
      }
      add(']}\n')
      // Its tag is of the very text: whatever a name, a title or a decision changes in it.
      const identity = hash.digest('base64url')
      return { mediaType: 'application/geo+json', identity, chunks: () => chunks, isFile: true }
    },
  }
}

export type ImageFeatures = ReturnType<typeof createImageFeatures>
