// Rules of privacy zones: a few per account, effective for everyone else as soon as they are acknowledged.
import { countCharacters } from '../../shared/text/characters.ts'
import { requireWritable } from '../../database/read-only.ts'
import type { Db, Tx } from '../../database/database.ts'
import { refuse } from '../../errors.ts'
import { inEach } from '../../texts/texts.ts'
import type { KeyedRequest, IdempotencyKeys } from '../../idempotency/idempotency-keys.ts'
import { drawFree, type System } from '../../system.ts'
import {
  bumpZones,
  deleteZone,
  findZoneSet,
  insertZone,
  listZones,
  type Zone,
  type ZoneSet,
} from './zone-table.ts'

/** Every public view is clipped by all of them. */
const maxZones = 50
const maxNameLength = 200

export type NewZone = Omit<Zone, 'id' | 'createdAt'>

export interface ZonesDependencies {
  readonly db: Db
  readonly system: System
  readonly retries: IdempotencyKeys
  /** Derives the public views of the account's routes again; until then others cannot see them. */
  readonly refresh: (accountId: number) => void
}

export function createZones({ db, system, retries, refresh }: ZonesDependencies) {
  async function insertWithNewId(tx: Tx, accountId: number, zone: NewZone): Promise<Zone> {
    const dated = { ...zone, createdAt: system.now() }
    const id = await drawFree('zone id', system.newId, (drawn) =>
      insertZone(tx, accountId, { ...dated, id: drawn }),
    )
    return { ...dated, id }
  }

  async function addIn(
    tx: Tx,
    accountId: number,
    zone: NewZone,
    keyed: KeyedRequest | undefined,
  ): Promise<Zone> {
    await requireWritable(tx)
    await bumpZones(tx, accountId)
    const zones = await listZones(tx, accountId)
    const earlier = keyed && (await retries.find(tx, keyed))
    const made = zones.find(({ id }) => id === earlier)
    if (made) return made
    if (earlier !== undefined) {
      throw refuse('invalid-zone-id', {
        detail: 'The zone created with this Idempotency-Key has been removed since.',
      })
    }
    if (zones.length >= maxZones) {
      throw refuse('quota-reached', {
        detail: inEach(({ limits }) => limits.zones(maxZones, zones.length)),
      })
    }
    const added = await insertWithNewId(tx, accountId, zone)
    if (keyed) await retries.remember(tx, keyed, added.id)
    return added
  }

  return {
    /** Oldest first. */
    find: (accountId: number): Promise<ZoneSet> => findZoneSet(db, accountId),

    /** @throws refusals `invalid-field`, `quota-reached`, `idempotency-key-reused`, `invalid-zone-id`, `read-only`. */
    add: async (accountId: number, zone: NewZone, keyed: KeyedRequest | undefined): Promise<Zone> => {
      if (countCharacters(zone.name) > maxNameLength) {
        throw refuse('invalid-field', { detail: `name may have at most ${maxNameLength} characters.` })
      }
      const added = await db.transaction().execute((tx) => addIn(tx, accountId, zone, keyed))
      refresh(accountId)
      return added
    },

    /** @throws refusals `invalid-zone-id`, `read-only`. */
    remove: async (accountId: number, id: number | undefined): Promise<void> => {
      await db.transaction().execute(async (tx) => {
        await requireWritable(tx)
        await bumpZones(tx, accountId)
        if (id === undefined || !(await deleteZone(tx, accountId, id))) throw refuse('invalid-zone-id')
      })
      refresh(accountId)
    },
  }
}

export type Zones = ReturnType<typeof createZones>
