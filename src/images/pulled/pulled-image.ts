// A photo as another server lists it, and what of that a later pull compares.
import { pulledDigest } from '../../database/pulled-table.ts'

/** What the list of the other server says, as it is stored here. */
export interface ListedElsewhere {
  readonly id: number
  readonly trailId: number
  readonly submitterId: number
  readonly title: string
  readonly caption: string
  /** Decimal text; both '0' where the position is not known. */
  readonly lat: string
  readonly lon: string
  /** Milliseconds since 1970 UTC. */
  readonly postedAt: number
}

export type ListedTexts = Pick<ListedElsewhere, 'title' | 'caption' | 'lat' | 'lon'>

/** What can change on either side. */
export const imageDigest = ({ title, caption, lat, lon }: ListedTexts): string =>
  pulledDigest([title, caption, lat, lon])

export const positionOf = ({ lat, lon }: Pick<ListedElsewhere, 'lat' | 'lon'>) =>
  lat === '0' && lon === '0' ? null : { lat, lon }
