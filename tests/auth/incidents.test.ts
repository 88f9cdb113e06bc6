// Failures are in the audit, aggregated: sign-ins, forbidden admin actions, invalid tokens. Strangers cannot flood it.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createIncidents, incidentLifeMs } from '../../src/accounts/audit/incidents.ts'
import { listAudit } from '../../src/accounts/audit/audit.ts'
import type { Db } from '../../src/database/database.ts'
import { addMember, addSignedIn, createVisitor } from '../helpers/visitor.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'

const hour = 3_600_000

async function started(t: TestContext): Promise<Waymark> {
  const waymark = await startWaymark({ environment: { TRUST_PROXY: '127.0.0.1' } })
  t.after(() => waymark.close())
  return waymark
}

async function incidentsIn(db: Db): Promise<Record<string, unknown>[]> {
  const rows = await listAudit(db, { limit: 1_000 })
  return rows
    .filter(({ action }) => /^(?:sign-in|admin|token)\./.test(action))
    .toReversed()
    .map(({ action, accountId, actorId, via, detail }) => {
      const { times, address } = JSON.parse(detail) as Record<string, unknown>
      assert.deepEqual([actorId, via], [null, 'server'])
      return { action, accountId, times, address }
    })
}

void test('failed sign-ins, refused admin actions and misused tokens are grouped by kind, account and address', async (t) => {
  const waymark = await started(t)
  const from = (address: string) => ({ 'x-forwarded-for': address })
  const [member, other] = [await addSignedIn(waymark), await addMember(waymark)]
  const wrong = (email: string, address: string) =>
    createVisitor(waymark).post('/sign-in', { email, password: 'my secret typed elsewhere' }, from(address))
  for (let time = 0; time < 3; time += 1) await wrong(other.email, '192.0.2.1')
  await wrong(other.email, '2001:db8:1:2:3::4')
  await wrong('nobody@trails.example', '192.0.2.1')
  for (let time = 0; time < 2; time += 1)
    await member.call('GET', '/v2/admin/accounts', undefined, from('192.0.2.9'))
  await member.call(
    'POST',
    '/v2/me/password',
    { current: 'wrong', password: 'a whole new word' },
    from('192.0.2.9'),
  )
  const guess = (headers: Record<string, string>) =>
    waymark.fetch('/v2/me/keys', { headers: { ...from('192.0.2.7'), ...headers } })
  for (let time = 0; time < 4; time += 1) await guess({ authorization: 'Bearer never-was' })
  await waymark.app.close()
  assert.deepEqual(await incidentsIn(waymark.installation.database.db), [
    { action: 'sign-in.failed', accountId: other.accountId, times: 3, address: '192.0.2.1' },
    { action: 'sign-in.failed', accountId: other.accountId, times: 1, address: '2001:db8:1:2::/64' },
    { action: 'sign-in.failed', accountId: null, times: 1, address: '192.0.2.1' },
    { action: 'admin.refused', accountId: member.accountId, times: 2, address: '192.0.2.9' },
    { action: 'sign-in.failed', accountId: member.accountId, times: 1, address: '192.0.2.9' },
    { action: 'token.misused', accountId: null, times: 4, address: '192.0.2.7' },
  ])
  const all = JSON.stringify(await listAudit(waymark.installation.database.db, { limit: 1_000 }))
  assert.doesNotMatch(all, /secret typed elsewhere|never-was|nobody@/, 'nothing that was typed is kept')
})

void test('an expired token is not misuse', async (t) => {
  const waymark = await started(t)
  const { token } = await waymark.addPerson()
  waymark.system.advance(hour)
  assert.equal((await waymark.fetch('/v2/me', { token })).status, 401)
  await waymark.app.close()
  assert.deepEqual(await incidentsIn(waymark.installation.database.db), [])
})

void test('an hour of requests by strangers adds a bounded number of rows, and nothing counted is lost', async (t) => {
  const waymark = await started(t)
  const { db } = waymark.installation.database
  const faults: unknown[] = []
  const incidents = createIncidents({ db, now: waymark.system.now, onFault: (error) => faults.push(error) })
  const flood = (): void => {
    for (let address = 0; address < 1_000; address += 1)
      for (let time = 0; time < 3; time += 1)
        incidents.note({ action: 'token.misused', accountId: null, address: `address ${address}` })
  }
  flood()
  waymark.system.advance(hour)
  flood()
  await incidents.close()
  assert.deepEqual(faults, [])
  const rows = await incidentsIn(db)
  assert.ok(rows.length <= 2 * 201, `${rows.length} rows`)
  assert.equal(
    rows.reduce((sum, { times }) => sum + Number(times), 0),
    6_000,
  )
  assert.equal(rows.filter(({ address }) => address === null).length, 2)
})

void test('entries older than 90 days leave the audit log, and nothing else does', async (t) => {
  const waymark = await started(t)
  const { db } = waymark.installation.database
  const member = await addSignedIn(waymark)
  await member.call('GET', '/v2/admin/accounts')
  const incidents = createIncidents({ db, now: waymark.system.now, onFault: assert.ifError })
  incidents.note({ action: 'admin.refused', accountId: member.accountId, address: '192.0.2.1' })
  await incidents.close()
  const before = (await listAudit(db, { limit: 1_000 })).map(({ action }) => action)
  assert.ok(before.includes('admin.refused'))
  waymark.system.advance(incidentLifeMs)
  await waymark.app.sweep()
  assert.deepEqual((await incidentsIn(db)).length, 1, 'not yet')
  waymark.system.advance(1)
  await waymark.app.sweep()
  const left = (await listAudit(db, { limit: 1_000 })).map(({ action }) => action)
  assert.deepEqual(
    left,
    before.filter((action) => action !== 'admin.refused'),
  )
})
