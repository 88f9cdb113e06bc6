// The decisions that are possible in the state of a photo, for the keys and buttons of the review page.
import { decisionsFrom } from '../../../../src/shared/image-states.ts'
import type { Decision } from '../../../../client/client.ts'
import type { DeskItem } from './review-session.ts'

type Stands = Pick<DeskItem, 'status' | 'edited'>

const accountStatusOf = ({ status, edited }: Stands) => (status === 'approved' && edited ? 'edited' : status)

export const canDecide = (item: Stands, decision: Decision): boolean =>
  decisionsFrom(accountStatusOf(item)).includes(decision)

/** The meaning of key a here; undefined for a published photo whose texts are accepted. */
export function yesOf(item: Stands): 'approve' | 'restore' | undefined {
  if (canDecide(item, 'approve')) return 'approve'
  return canDecide(item, 'restore') ? 'restore' : undefined
}

/** The meaning of keys r and x here. */
export function noOf(item: Stands): 'reject' | 'remove' | undefined {
  if (canDecide(item, 'reject')) return 'reject'
  return canDecide(item, 'remove') ? 'remove' : undefined
}
