// SQL of the tables zone and zone_set.
import { randomBytes } from 'node:crypto'
import type { Db, Tx } from '../../database/database.ts'
import type { Displacement } from './zone-circle.ts'

export interface Zone {
  readonly id: number
  readonly name: string
  readonly lat: number
  readonly lon: number
  readonly radiusMetres: number
  readonly createdAt: number
}

/** The zones that clip an account's routes for everyone else. */
export interface ZoneSet {
  /** 0 if the account never had a zone. */
  readonly revision: number
  readonly salt: string
  readonly displacement: Displacement
  readonly zones: readonly Zone[]
}

/** Oldest first. */
export function listZones(db: Db, accountId: number): Promise<Zone[]> {
  return db
    .selectFrom('zone')
    .select(['id', 'name', 'lat', 'lon', 'radius_metres as radiusMetres', 'created_at as createdAt'])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** The revision is read first: if zones change meanwhile, derived views become outdated, never wrongly current. */
export async function findZoneSet(db: Db, accountId: number): Promise<ZoneSet> {
  const set = await db
    .selectFrom('zone_set')
    .select(['revision', 'salt', 'displacement'])
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (!set) return { revision: 0, salt: '', displacement: 'disc', zones: [] }
  return { ...set, zones: await listZones(db, accountId) }
}

const saltBytes = 32

/**
 * Invalidates all views derived from the zones. Call it first in the transaction that changes them: the row stays
 * locked until the transaction ends, so that concurrent changes are serialized.
 */
export async function bumpZones(tx: Tx, accountId: number): Promise<void> {
  await tx
    .insertInto('zone_set')
    .values({
      account_id: accountId,
      revision: 1,
      salt: randomBytes(saltBytes).toString('base64url'),
      displacement: 'disc',
    })
    .onConflict((conflict) =>
      conflict
        .column('account_id')
        .doUpdateSet((expression) => ({ revision: expression('zone_set.revision', '+', 1) })),
    )
    .execute()
}

/** Returns false if the id is already taken. */
export async function insertZone(tx: Tx, accountId: number, zone: Zone): Promise<boolean> {
  const { id, name, lat, lon, radiusMetres, createdAt } = zone
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('zone')
    .values({
      id,
      account_id: accountId,
      name,
      lat,
      lon,
      radius_metres: radiusMetres,
      created_at: createdAt,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** Returns false if the account has no such zone. */
export async function deleteZone(tx: Tx, accountId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('zone')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
