// Migration 0011 with applications of the version before: who last set each redirect URI.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Db } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import type { AuditTable, OauthClientTable } from '../../src/database/schema.ts'
import { accountRow, insertParents, type OpenEmptyDatabase } from './database-suite.ts'

const adminId = accountRow.id + 1
const memberId = accountRow.id + 2

type Change = readonly [actor: number | null, via: AuditTable['via'], redirectUris: readonly string[]]

/** Audit entries of each application before 0011, its creation first. */
const applications: Readonly<Record<string, readonly Change[]>> = {
  'before-the-audit': [],
  'by-command': [[null, 'command', ['https://a.example/']]],
  'by-admin': [[adminId, 'session', ['https://a.example/']]],
  'by-member': [[memberId, 'session', ['https://a.example/']]],
  'renamed-by-member': [
    [null, 'command', ['https://a.example/', 'https://b.example/']],
    [memberId, 'session', ['https://a.example/']],
  ],
  'taken-over-by-member': [
    [null, 'command', ['https://a.example/']],
    [memberId, 'session', ['https://a.example/', 'https://b.example/']],
  ],
  'taken-over-by-admin': [
    [memberId, 'session', []],
    [adminId, 'session', ['https://a.example/']],
  ],
  'of-a-deleted-account': [[null, 'session', ['https://a.example/']]],
}

async function insertApplications(db: Db): Promise<void> {
  await insertParents(db)
  const old = db.withTables<{ oauth_client: Omit<OauthClientTable, 'approved_at'> }>()
  for (const [id, role] of [
    [adminId, 'admin'],
    [memberId, 'member'],
  ] as const) {
    await db
      .insertInto('account')
      .values({ ...accountRow, id, email: `${id}@trails.example`, email_key: `${id}@trails.example`, role })
      .execute()
  }
  let position = 0
  for (const [id, changes] of Object.entries(applications)) {
    const redirectUris = JSON.stringify(changes.at(-1)?.[2] ?? [])
    await old
      .insertInto('oauth_client')
      .values({
        id,
        account_id: memberId,
        name: id,
        secret_hash: null,
        scope: 'images:read',
        redirect_uris: redirectUris,
        created_at: 7,
      })
      .execute()
    for (const [index, [actorId, via, uris]] of changes.entries()) {
      position += 1
      await db
        .insertInto('audit')
        .values({
          position,
          at: position,
          actor_id: actorId,
          via,
          action: index === 0 ? 'client.created' : 'client.changed',
          account_id: memberId,
          detail: JSON.stringify({ client: id, name: id, redirectUris: uris }),
        })
        .execute()
    }
  }
}

export function testApprovedApplications(name: string, openEmpty: OpenEmptyDatabase): void {
  void test(`${name}: only applications whose redirect URLs came from the operator or an admin are approved`, async (t) => {
    const { database } = await openEmpty(t)
    const { db } = database
    await migrate(database, { upTo: '0009-rate-windows' })
    await insertApplications(db)
    await migrate(database)
    const clients = await db.selectFrom('oauth_client').selectAll().orderBy('id').execute()
    assert.deepEqual(
      clients.filter(({ approved_at: at }) => at !== null).map(({ id, approved_at: at }) => [id, at]),
      [
        ['before-the-audit', 7],
        ['by-admin', 7],
        ['by-command', 7],
        ['renamed-by-member', 7],
        ['taken-over-by-admin', 7],
      ],
    )
    assert.deepEqual(
      clients.map(({ id }) => id),
      Object.keys(applications).toSorted(),
    )
  })
}
