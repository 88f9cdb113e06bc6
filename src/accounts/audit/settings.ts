// Records changed settings in the audit log: they are changed outside the server, and take effect at a start.
import type { Db } from '../../database/database.ts'
import { findReadOnly } from '../../database/read-only.ts'
import { byServer, recordAudit } from './audit.ts'

/** A setting as doctor prints it, without secrets. */
export interface SettingInForce {
  readonly variable: string
  readonly value: string
  readonly isDefault: boolean
}

type InForce = Readonly<Record<string, string>>

/** The non-default settings of the last start; undefined if there was none. */
export async function settingsOfLastStart(db: Db): Promise<InForce | undefined> {
  const row = await db
    .selectFrom('audit')
    .select('detail')
    .where('action', '=', 'setting.changed')
    .where('via', '=', 'server')
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && (JSON.parse(row.detail) as { inForce: InForce }).inForce
}

/**
 * Compares the non-default settings with those of the previous start, and records the differences.
 * A start in read-only mode records nothing; the next one does.
 */
export async function auditSettings(db: Db, settings: readonly SettingInForce[], now: number): Promise<void> {
  if (await findReadOnly(db)) return
  const inForce = Object.fromEntries(
    settings.filter(({ isDefault }) => !isDefault).map(({ variable, value }) => [variable, value]),
  )
  await db.transaction().execute(async (tx) => {
    const before = (await settingsOfLastStart(tx)) ?? {}
    const variables = [...new Set([...Object.keys(before), ...Object.keys(inForce)])].toSorted()
    const changed = variables.filter((variable) => before[variable] !== inForce[variable])
    if (changed.length === 0) return
    const detail = { changed, inForce }
    await recordAudit(tx, { at: now, by: byServer, action: 'setting.changed', accountId: null, detail })
  })
}
