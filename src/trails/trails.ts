// Rules of trails: what a name and a slug may be, and importing them all or not at all.
import { countCharacters, replaceForbidden } from '../contract/characters.ts'
import type { Db } from '../database/database.ts'
import { refuse } from '../errors.ts'
import { findTrail, findTrailBySlug, upsertTrail, type Trail } from './trail-table.ts'

export type { Trail } from './trail-table.ts'

const longestName = 256
const longestSlug = 200
/** Leaves room for `-` and an id. */
const longestOwnSlug = 180

/** A slug made of a name: `Rim Trail (North)` → `rim-trail-north`. Empty where the name holds no letter or digit. */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}]+/gu, '-')
    .slice(0, longestOwnSlug)
    .replaceAll(/^-|-$/g, '')
}

/** A trail as a person or a file gives it. */
export interface TrailInput {
  readonly id: number | undefined
  readonly name: string
  readonly slug: string | undefined
  /** How a refusal names it, such as `trails.csv: line 3`. */
  readonly place?: string
}

/** The beginning of a sentence about one of several trails. */
function placeOf({ place }: TrailInput, index: number, count: number): string {
  if (place !== undefined) return `${place}: `
  return count > 1 ? `Trail ${index + 1} of ${count}: ` : ''
}

/** @throws refusal `invalid-field`, with a sentence that names place and field. */
function checkTrail({ id, name, slug }: TrailInput, place: string): Trail {
  const wrong = (detail: string) => refuse('invalid-field', { detail: place + detail })
  if (id === undefined || !Number.isSafeInteger(id) || id < 1) {
    throw wrong('trailID must be a whole number from 1 to 9007199254740991.')
  }
  if (name.trim() === '' || countCharacters(name) > longestName)
    throw wrong(`name must have 1 to ${longestName} characters.`)
  // A name stands in every list, in XML too.
  if (replaceForbidden(name) !== name) throw wrong('name has a control character.')
  const finalSlug = slug === undefined || slug === '' ? slugOf(name) || `trail-${id}` : slug
  if (
    !/^[\p{Letter}\p{Number}][\p{Letter}\p{Number}._-]*$/u.test(finalSlug) ||
    finalSlug.length > longestSlug
  ) {
    throw wrong(
      'slug must be letters, digits, hyphens, dots and underscores, beginning with a letter or digit.',
    )
  }
  return { id, name, slug: finalSlug }
}

/**
 * Two trails may well have one name, as every second county has its Loop Trail: a slug that we made of a name makes way,
 * one that was asked for does not. @throws refusal `invalid-field`.
 */
async function withFreeSlug(db: Db, trail: Trail, input: TrailInput, place: string): Promise<Trail> {
  const holder = await findTrailBySlug(db, trail.slug)
  if (!holder || holder.id === trail.id) return trail
  if (input.slug === undefined || input.slug === '') return { ...trail, slug: `${trail.slug}-${trail.id}` }
  throw refuse('invalid-field', { detail: `${place}slug ${trail.slug} belongs to trail ${holder.id}.` })
}

export function createTrails(db: Db, now: () => number) {
  return {
    /** @throws refusal `invalid-trail-id`. */
    require: async (id: number | undefined): Promise<Trail> => {
      const trail = id === undefined ? undefined : await findTrail(db, id)
      if (!trail) throw refuse('invalid-trail-id')
      return trail
    },

    /**
     * Adds or renames trails, all of them or none.
     * @throws refusal `invalid-field` that names the trail by its place, where there are several.
     */
    importAll: async (inputs: readonly TrailInput[]): Promise<void> => {
      const at = now()
      await db.transaction().execute(async (tx) => {
        for (const [index, input] of inputs.entries()) {
          const place = placeOf(input, index, inputs.length)
          await upsertTrail(tx, await withFreeSlug(tx, checkTrail(input, place), input, place), at)
        }
      })
    },
  }
}

export type Trails = ReturnType<typeof createTrails>
