// An account with data of every kind, and what must hold after its deletion.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { chainDigest, chainStart } from '../../src/database/history-chain.ts'
import type { Db } from '../../src/database/database.ts'
import { countImages } from '../../src/events/outbox.ts'
import { createIntegrity } from '../../src/images/storage/integrity.ts'
import { addOwner, furnish, type OwnedThings } from '../helpers/leaving.ts'
import { startWaymark, type Waymark, type WaymarkOptions } from '../helpers/waymark.ts'

export const trailId = 4711

/** A Waymark of the test's own. */
export async function start(t: TestContext, options: WaymarkOptions = {}) {
  const waymark = await startWaymark(options)
  t.after(() => waymark.close())
  return settle(waymark)
}

export async function settle(waymark: Waymark) {
  await waymark.addTrail(trailId, 'Rim Trail')
  const reviewer = await waymark.addPerson({ role: 'reviewer', name: 'Rita' })
  const key = await waymark.addKey(reviewer.accountId)
  const owner = await addOwner(waymark)
  const has = await furnish(waymark, owner, { trailId, reviewer, mark: 'anns' })
  return { waymark, reviewer, key, owner, has, db: waymark.installation.database.db }
}

/** Tables that name an account, and how many rows of each name this one. */
export async function rowsOf(db: Db, accountId: number): Promise<Record<string, number>> {
  const tables = [
    'session',
    'passkey',
    'one_time',
    'external_identity',
    'consent',
    'oauth_client',
    'oauth_object',
    'api_key',
    'account_trail',
    'zone',
    'zone_set',
    'route',
    'webhook',
    'claim',
    'retry',
  ] as const
  const found: Record<string, number> = {}
  for (const table of tables) {
    const rows = await db.selectFrom(table).select('account_id').where('account_id', '=', accountId).execute()
    if (rows.length > 0) found[table] = rows.length
  }
  return found
}

export async function assertWhole({ installation }: Waymark): Promise<void> {
  const { database, blobs } = installation
  const findings: unknown[] = []
  await createIntegrity({ database, blobs }).check('bytes', (finding) => findings.push(finding))
  assert.deepEqual(findings, [])
  let digest = chainStart
  for (const row of await database.db.selectFrom('image_history').selectAll().orderBy('position').execute()) {
    digest = chainDigest(digest, row)
    assert.equal(row.digest, digest, `history ${row.position}`)
  }
  const counts: Record<string, number> = {}
  for (const { state } of await database.db.selectFrom('image').select('state').execute())
    counts[state] = (counts[state] ?? 0) + 1
  const kept = Object.entries(await countImages(database.db)).filter(([, count]) => count !== 0)
  assert.deepEqual(Object.fromEntries(kept), counts)
}

export async function listed(waymark: Waymark, key: string) {
  const answer = await waymark.fetch(`/Trails/${trailId}/Images/?api_key=${key}`)
  return { text: await answer.text(), etag: answer.headers.get('etag') }
}

export const photosOf = (waymark: Waymark, { originals }: OwnedThings) =>
  Promise.all(
    [...originals.keys()].map(async (id) => (await waymark.fetch(`/ImageHandler?id=${id}&t=sm`)).status),
  )
