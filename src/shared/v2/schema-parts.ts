// What the v2 schemas are made of: words, timestamps, pages, and the object that takes no other fields.
import { Type, type TSchema } from 'typebox'

export const strict = { additionalProperties: false } as const

/** An enum to which no value will be added under this prefix (C41). */
export const stringEnum = <const Values extends readonly string[]>(values: Values, description?: string) =>
  Type.Unsafe<Values[number]>({
    type: 'string',
    enum: [...values],
    ...(description === undefined ? {} : { description }),
  })

/**
 * An enum that may grow: clients are told to expect values they do not know.
 * @param title of one that several schemas have.
 */
export const openEnum = <const Values extends readonly string[]>(
  values: Values,
  description?: string,
  title?: string,
) =>
  Type.Unsafe<Values[number]>({
    ...(title === undefined ? {} : { title }),
    type: 'string',
    enum: [...values],
    'x-open-enum': true,
    description: `${description === undefined ? '' : `${description} `}More values may be added; accept those you do not know.`,
  })

/** The same, or null; with a title, since several schemas have each. */
export const openEnumOrNull = <const Values extends readonly string[]>(
  values: Values,
  description: string,
  title: string,
) =>
  Type.Unsafe<Values[number] | null>({
    title,
    type: ['string', 'null'],
    enum: [...values, null],
    'x-open-enum': true,
    description: `${description} More values may be added; accept those you do not know.`,
  })

/** Alternatives to which more may be added, told apart by an enum that may grow. */
export const openUnion = <Value>(schemas: readonly TSchema[], description: string) =>
  Type.Unsafe<Value>({ anyOf: [...schemas], 'x-open-union': true, description })

export const timestamp = (description?: string) =>
  Type.String({ format: 'date-time', ...(description === undefined ? {} : { description }) })

export const timestampOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description })

export const dateOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date', description })

export const textOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description })

export const numberOrNull = (description: string) =>
  Type.Unsafe<number | null>({ type: ['number', 'null'], description })

export const orNull = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description })

/** In many schemas: a component. */
export const cursor = Type.Unsafe<string | null>({
  title: 'Cursor',
  type: ['string', 'null'],
  description: 'Cursor of the next page; null on the last page.',
})
export const noCursor = Type.Null({ description: 'The set is complete; there is no next page.' })

/** West, south, east, north, or null where there is nothing to go round. */
export const boxOrNull = Type.Unsafe<number[] | null>({
  title: 'Box',
  type: ['array', 'null'],
  items: { type: 'number' },
  minItems: 4,
  maxItems: 4,
  description:
    'West, south, east, north in degrees; west is greater than east if the box crosses the antimeridian. Null without a line.',
})

/** A page of a set. */
export const pageOf = <Item extends TSchema>(item: Item, title: string) =>
  Type.Object({ items: Type.Array(item), next: cursor }, { ...strict, title })

/** A set that is always answered whole. */
export const wholeSetOf = <Item extends TSchema>(item: Item, title: string) =>
  Type.Object({ items: Type.Array(item), next: noCursor }, { ...strict, title })
