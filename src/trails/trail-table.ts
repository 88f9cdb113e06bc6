// SQL of the table trail.
import type { Db } from '../database/database.ts'

export interface Trail {
  readonly id: number
  readonly name: string
  readonly slug: string
}

export function findTrail(db: Db, id: number): Promise<Trail | undefined> {
  return db.selectFrom('trail').select(['id', 'name', 'slug']).where('id', '=', id).executeTakeFirst()
}

/** The trail that has the slug, if any. */
export function findTrailBySlug(db: Db, slug: string): Promise<Trail | undefined> {
  return db.selectFrom('trail').select(['id', 'name', 'slug']).where('slug', '=', slug).executeTakeFirst()
}

/** Adds the trail, or gives the one with this id its new name and slug; its images' lists change with it. */
export async function upsertTrail(db: Db, trail: Trail, at: number): Promise<void> {
  await db
    .insertInto('trail')
    .values({ id: trail.id, name: trail.name, slug: trail.slug, version: 1, created_at: at })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((expression) => ({
        name: trail.name,
        slug: trail.slug,
        version: expression('trail.version', '+', 1),
      })),
    )
    .execute()
}
