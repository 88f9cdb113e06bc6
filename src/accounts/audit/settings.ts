// Notes in the audit what has changed of the settings: they are changed outside of the server, and count from a start on.
import type { Db } from '../../database/database.ts'
import { findReadOnly } from '../../database/read-only.ts'
import { byServer, recordAudit } from './audit.ts'

/** A setting as doctor prints it, with whatever is secret in it left out. */
export interface SettingInForce {
  readonly variable: string
  readonly value: string
  readonly isDefault: boolean
}

type InForce = Readonly<Record<string, string>>

/** The settings of the last start that are no defaults; undefined where there was none. */
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
 * Compares the settings that are no defaults with those of the start before, and stores what differs.
 * A start of an installation that is read-only stores nothing; the next one does.
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
