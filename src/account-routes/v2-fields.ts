// The fields of a strict v2 body, with the rules of the classic ones.
import { routeShapes } from '../shared/classic/classic-shapes.ts'
import type { Kind } from '../shared/classic/kinds.ts'
import type { NewRoute, RoutePatch } from '../shared/v2/route-schemas.ts'
import { refuse } from '../errors.ts'
import type { RouteFields } from './routes.ts'

const { name, description, length: miles } = routeShapes.short.fields

/** @throws refusal `invalid-field`. */
function read(kind: Kind<string>, sent: unknown, field: string): string | undefined {
  if (sent === undefined) return undefined
  const reading = kind.read(sent, field)
  if (!reading.ok) throw refuse(reading.fault.code, { detail: reading.fault.detail })
  return reading.value
}

/** As in the classic API, a typed client sends 0 for an unknown length: like null, it removes a stated length. */
function lengthOf({ length }: NewRoute): string | null | undefined {
  if (length === undefined || length === null) return length
  return read(miles.kind, length, 'length') ?? null
}

/** @throws refusal `invalid-field`. */
export const fieldsOf = (body: NewRoute): RouteFields => ({
  name: read(name.kind, body.name, 'name'),
  description: read(description.kind, body.description, 'description'),
  length: lengthOf(body),
  gpx: body.gpx,
  visibility: body.visibility,
  shares: body.shares,
})

/** @throws refusal `invalid-field`. */
export const patchOf = (body: RoutePatch): RouteFields => ({ ...fieldsOf(body), newLink: body.newLink })
