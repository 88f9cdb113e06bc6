// Settings that admins change while the server runs, such as reason codes or the photo licence: stored in the database,
// read at each use.
import { recordAudit, type AuditActor } from '../accounts/audit/audit.ts'
import { inTransaction, type Db } from '../database/database.ts'
import { requireWritable } from '../database/read-only.ts'

/** The names of choices. Their shapes belong to the rooms that read them. */
export type ChoiceName = 'review-reasons' | 'photo-terms' | 'branding' | 'map'

export interface StoredChoice {
  readonly value: unknown
  /** Milliseconds since 1970 UTC. */
  readonly changedAt: number
}

/** The stored value; undefined if nobody has set one. */
export async function readChoice(db: Db, name: ChoiceName): Promise<StoredChoice | undefined> {
  const row = await db
    .selectFrom('choice')
    .select(['value', 'changed_at as changedAt'])
    .where('name', '=', name)
    .executeTakeFirst()
  return row && { value: JSON.parse(row.value) as unknown, changedAt: row.changedAt }
}

/** Stores the value and records who set it. @param value JSON. @throws refusal `read-only`. */
export async function saveChoice(
  db: Db,
  name: ChoiceName,
  value: unknown,
  { by, at }: { readonly by: AuditActor; readonly at: number },
): Promise<void> {
  const row = { value: JSON.stringify(value), changed_at: at }
  await inTransaction(db, async (tx) => {
    await requireWritable(tx)
    await tx
      .insertInto('choice')
      .values({ name, ...row })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
      .execute()
    await recordAudit(tx, { at, by, action: 'setting.changed', accountId: null, detail: { choice: name } })
  })
}
