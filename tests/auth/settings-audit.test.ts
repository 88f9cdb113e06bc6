// Changes of settings are audited: those found at a start, and the read-only switch.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { listAudit } from '../../src/accounts/audit/audit.ts'
import { auditSettings } from '../../src/accounts/audit/settings.ts'
import { describeSettings } from '../../src/settings/config.ts'
import { switchReadOnlyOff, switchReadOnlyOn } from '../../src/database/read-only.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'

let waymark: Waymark
before(async () => {
  waymark = await startWaymark()
})
after(() => waymark.close())

async function startWith(environment: Record<string, string>): Promise<void> {
  await auditSettings(waymark.installation.database.db, describeSettings(environment), waymark.system.now())
}

async function changes(): Promise<unknown[]> {
  const filter = { accountId: undefined, before: undefined, limit: 100 }
  const rows = await listAudit(waymark.installation.database.db, filter)
  return rows
    .filter(({ action }) => action === 'setting.changed')
    .map(({ detail }) => (JSON.parse(detail) as { changed: unknown }).changed)
}

void test('a start records which settings differ from those at the previous start, and never a password', async () => {
  await startWith({})
  assert.deepEqual(await changes(), [])
  const mail = 'smtp://ann:swordfish@mail.example'
  await startWith({ SIGN_UP: 'open', SMTP_URL: mail })
  await startWith({ SIGN_UP: 'open', SMTP_URL: mail })
  await startWith({ SIGN_UP: 'closed', SMTP_URL: mail })
  await startWith({})
  assert.deepEqual(await changes(), [['SIGN_UP', 'SMTP_URL'], ['SIGN_UP'], ['SIGN_UP', 'SMTP_URL']])
  const rows = await waymark.installation.database.db.selectFrom('audit').select('detail').execute()
  assert.doesNotMatch(JSON.stringify(rows), /swordfish/)
})

void test('a start in read-only mode stores nothing, and the next one records the differences', async () => {
  const { db } = waymark.installation.database
  await switchReadOnlyOn(db, 0, '')
  await startWith({ EDITED_PHOTOS: 'require-review' })
  assert.equal((await changes()).length, 3)
  await switchReadOnlyOff(db)
  await startWith({ EDITED_PHOTOS: 'require-review' })
  assert.deepEqual((await changes())[0], ['EDITED_PHOTOS'])
})
