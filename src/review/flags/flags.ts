// Hints for reviewers. Expensive ones are stored once they are known; those that change by themselves are computed for
// each page.
import { complete, maxNear, nearestOnly, type Near } from '../../events/near-pairs-table.ts'
import type { ReviewFlag } from '../../shared/v2/queue-schemas.ts'
import type { Db } from '../../database/database.ts'
import { maxIds, type QueuedImage } from '../queue-page-table.ts'
import { createUnstoredFlags } from './unstored-flags.ts'

export interface FlagsDependencies {
  readonly db: Db
  /** Setting FAR_FROM_TRAIL_METRES; 0 for never. */
  readonly farMetres: number
}

export interface FlagsRequest {
  /** The trails that the reviewer is limited to. */
  readonly trails: ReadonlySet<number> | undefined
  /** Whether any photo of this submitter was ever accepted. */
  readonly hasAccepted: (submitterId: number) => boolean
}

const entriesOf = (list: string | null): string[][] =>
  list === null ? [] : list.split(',').map((entry) => entry.split(' '))

/** Whether all that is near the image is stored. */
function isNearStored({ dhash, paired, near, hasUnpaired }: QueuedImage): boolean {
  if (dhash === null || dhash === '') return true
  if (hasUnpaired) return false
  // If there were too many, only the nearest were stored: once some of those are purged, others take their place.
  return paired === complete || (paired === nearestOnly && entriesOf(near).length === maxNear)
}

const storedNear = ({ near }: QueuedImage): Near[] =>
  entriesOf(near).flatMap(([id, bits, state]) =>
    state === 'deleted' ? [] : [{ id: Number(id), bits: Number(bits) }],
  )

/** The range of a cell tower. A less accurate position is flagged, since anyone can state any accuracy. */
const maxForgivenMetres = 2_000

/** Whether there is anything to measure. */
const isMeasurable = ({ lineOf, latitude, longitude }: QueuedImage): boolean =>
  lineOf !== null && latitude !== null && longitude !== null

function sameBytes({ twins }: QueuedImage, trails: FlagsRequest['trails']): ReviewFlag[] {
  if (twins === null) return []
  const visible = entriesOf(twins).filter(
    ([, trailId]) => trails === undefined || trails.has(Number(trailId)),
  )
  return [{ code: 'same-bytes', imageIDs: visible.map(([id]) => Number(id)) }]
}

function nearDuplicates(near: readonly Near[]): ReviewFlag[] {
  const [nearest] = near
  if (nearest === undefined) return []
  const imageIDs = near.slice(0, maxIds).map(({ id }) => id)
  return [{ code: 'near-duplicate', imageIDs, distance: nearest.bits }]
}

export function createFlags({ db, farMetres }: FlagsDependencies) {
  const unstored = createUnstoredFlags(db)

  /** The flags of each of the images. */
  return async function findFlags(
    images: readonly QueuedImage[],
    { trails, hasAccepted }: FlagsRequest,
  ): Promise<Map<number, ReviewFlag[]>> {
    const measurable = farMetres === 0 ? [] : images.filter(isMeasurable)
    const unmeasured = measurable.filter(({ measuredOf }) => measuredOf === null)
    const measured = unmeasured.length === 0 ? undefined : await unstored.metres(unmeasured)
    const unpaired = images.filter((image) => !isNearStored(image))
    const unstoredNear = unpaired.length === 0 ? undefined : await unstored.near(unpaired)
    const isUnpaired = new Set(unpaired.map(({ id }) => id))
    const nearTo = (image: QueuedImage): readonly Near[] =>
      isUnpaired.has(image.id) ? (unstoredNear?.get(image.id) ?? []) : storedNear(image)

    function flags(image: QueuedImage): ReviewFlag[] {
      const metres = (isMeasurable(image) && (image.metres ?? measured?.get(image.id))) || 0
      // A position this inaccurate only says that the photo was taken somewhere around it.
      const minMetres = metres - Math.min(image.positionAccuracy ?? 0, maxForgivenMetres)
      return [
        ...(farMetres > 0 && minMetres > farMetres
          ? [{ code: 'far-from-trail' as const, metres: Math.round(metres) }]
          : []),
        ...(image.latitude === null ? [{ code: 'no-position' as const }] : []),
        ...nearDuplicates(nearTo(image)),
        ...sameBytes(image, trails),
        ...(hasAccepted(image.submitterId) ? [] : [{ code: 'first-photo' as const }]),
      ]
    }
    return new Map(images.map((image) => [image.id, flags(image)]))
  }
}
