// The field tables of the classic resources, which determine types, validation, JSON and XML.
import { blankAsSpace, coordinate, id, plainText, timestamp } from './kinds.ts'
import type { Kind } from './kinds.ts'
import { americanDay, gpxText, maxDescriptionLength, maxNameLength, miles } from './route-kinds.ts'

export interface Field<Value> {
  readonly kind: Kind<Value>
  /** What a PUT may change. Every other field is ignored (C20). */
  readonly writable?: true
  /** Never in JSON (A2.3). */
  readonly xmlOnly?: true
}

export type Fields = Readonly<Record<string, Field<unknown>>>

export interface NamedKind {
  readonly name: string
  readonly kind: Kind<unknown>
}

/** The field list of a resource. */
export interface Shape<F extends Fields = Fields> {
  /** The XML element of one; a list is `ArrayOf` it. */
  readonly root: string
  /** Whether JSON writes every `/` inside strings as `\/`: image details do, routes do not (C7). */
  readonly escapesSlashes: boolean
  readonly fields: F
  /** In the order of the table. */
  readonly jsonFields: readonly NamedKind[]
  /** In alphabetical order (A2.4, C8). */
  readonly xmlFields: readonly NamedKind[]
  readonly writableFields: readonly NamedKind[]
}

type ValueOf<F> = F extends { readonly kind: Kind<infer Value> } ? Value : never

/** The value a shape describes, under the names of the wire. */
export type ResourceOf<F extends Fields> = { readonly [Name in keyof F]: ValueOf<F[Name]> }

type WritableName<F extends Fields> = {
  [Name in keyof F]: F[Name] extends { readonly writable: true } ? Name : never
}[keyof F]

/** The writable fields of a PUT; undefined if not sent. */
export type WritableOf<F extends Fields> = {
  readonly [Name in WritableName<F>]: ValueOf<F[Name]> | undefined
}

function defineShape<const F extends Fields>(definition: {
  readonly root: string
  readonly escapesSlashes: boolean
  /** In the order that JSON writes them. */
  readonly fields: F
}): Shape<F> {
  const entries = Object.entries<Field<unknown>>(definition.fields)
  const named = (chosen: typeof entries): NamedKind[] => chosen.map(([name, { kind }]) => ({ name, kind }))
  return {
    ...definition,
    jsonFields: named(entries.filter(([, field]) => field.xmlOnly !== true)),
    xmlFields: named(entries.toSorted(([one], [other]) => (one < other ? -1 : 1))),
    writableFields: named(entries.filter(([, field]) => field.writable === true)),
  }
}

/** One image of a trail (A2). The two fields that only XML has come last; XML sorts by name anyway. */
export const trailImageDetails = defineShape({
  root: 'TrailImageDetails',
  escapesSlashes: true,
  fields: {
    caption: { kind: blankAsSpace(256), writable: true },
    detailUrl: { kind: plainText },
    displayName: { kind: plainText },
    imageID: { kind: id },
    lat: { kind: coordinate(90), writable: true },
    lon: { kind: coordinate(180), writable: true },
    mimeType: { kind: plainText },
    postDate: { kind: timestamp },
    submitterAcctID: { kind: id },
    title: { kind: blankAsSpace(256), writable: true },
    trailID: { kind: id },
    trailName: { kind: plainText },
    addUser: { kind: plainText, xmlOnly: true },
    email: { kind: plainText, xmlOnly: true },
  },
})

/**
 * One image as the classic surface shows it. postDate is in milliseconds since 1970 (UTC); lat and lon are
 * decimal text, '0' when unknown; an empty title or caption is ''.
 */
export type TrailImageDetails = ResourceOf<typeof trailImageDetails.fields>

/** A route (A3); `dateCreated` is the one field whose form is a setting (C10). */
function defineRoute(dateCreated: Kind<number>) {
  return defineShape({
    root: 'Route',
    escapesSlashes: false,
    fields: {
      description: { kind: blankAsSpace(maxDescriptionLength), writable: true },
      gpx: { kind: gpxText, writable: true },
      length: { kind: miles, writable: true },
      name: { kind: blankAsSpace(maxNameLength), writable: true },
      routeID: { kind: id },
      dateCreated: { kind: dateCreated },
    },
  })
}

/** Setting ROUTE_DATE: `MM/DD/YY`, or date and time like `postDate`. */
export const routeShapes = { short: defineRoute(americanDay), full: defineRoute(timestamp) } as const

/** length is decimal text, dateCreated in milliseconds since 1970 (UTC); an empty name or description is ''. */
export type Route = ResourceOf<typeof routeShapes.short.fields>
