// One route from another server's list, parsed with the types of the classic surface.
import type { RouteElsewhere } from '../../src/account-routes/pulled-routes.ts'
import { routeShapes } from '../../src/shared/classic/classic-shapes.ts'
import type { ListedFields } from './list-file.ts'
import type { LossCode } from './losses.ts'
import { readId, readText, readTimestamp, type ListedTimestamp } from './listed-values.ts'

const { name: nameField, description: descriptionField, length: lengthField } = routeShapes.short.fields

export interface ListedRoute extends Omit<RouteElsewhere, 'createdAt'> {
  readonly created: ListedTimestamp
  /** Codes for what is lost of it. */
  readonly notes: readonly LossCode[]
}

export interface UnreadRoute {
  /** As it was written. */
  readonly id: string
  readonly code: LossCode
  readonly detail?: string
}

export function readListedRoute(fields: ListedFields, accountId: number): ListedRoute | UnreadRoute {
  const idText = (fields.get('routeID') ?? 'without an ID').slice(0, 40)
  const unread = (detail: string): UnreadRoute => ({ id: idText, code: 'not-readable', detail })
  const id = readId(fields.get('routeID'))
  if (id === 'too large') return { id: idText, code: 'id-too-large' }
  if (id === undefined) return unread('Its routeID is not a whole number.')
  const created = readTimestamp(fields.get('dateCreated'))
  if (created === undefined) return unread('Its dateCreated is not a date.')
  const texts = { name: readText(fields.get('name')), description: readText(fields.get('description')) }
  const name = nameField.kind.read(texts.name.text, 'name')
  if (!name.ok) return unread(name.fault.detail)
  const description = descriptionField.kind.read(texts.description.text, 'description')
  if (!description.ok) return unread(description.fault.detail)
  const length = lengthField.kind.read(fields.get('length') ?? '', 'length')
  if (!length.ok) return unread(length.fault.detail)
  const isWhole = texts.name.isWhole && texts.description.isWhole
  return {
    id,
    accountId,
    name: name.value ?? '',
    description: description.value ?? '',
    length: length.value ?? '0',
    gpx: fields.get('gpx') ?? '',
    created,
    notes: isWhole ? [] : ['characters-replaced'],
  }
}

export const isReadRoute = (route: ListedRoute | UnreadRoute): route is ListedRoute => !('code' in route)

/**
 * Timestamps that preserve the order of the list, which is sorted by time here: the other server's times are to the
 * second or only the day, so milliseconds make them unique.
 */
export function createTimestamps() {
  let last = Number.NEGATIVE_INFINITY
  return (created: ListedTimestamp): { readonly at: number; readonly isInOrder: boolean } => {
    const at = Math.max(created.at, last + 1)
    const isInOrder = at < created.at + created.unitMs
    if (isInOrder) last = at
    return { at: isInOrder ? at : created.at, isInOrder }
  }
}
