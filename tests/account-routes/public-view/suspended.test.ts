// Routes of a suspended account: visible only to staff, at every URL; visible to everyone again once it is restored.
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { createPublicViewsWithin } from '../../../src/account-routes/public-view/public-view-tiles.ts'
import { addSignedIn } from '../../helpers/visitor.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { addRoute, gpxOf, jsonOf, northward } from '../v2-helpers.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const { db } = waymark.installation.database
const admin = await waymark.addPerson({ role: 'admin' })
const reviewer = await waymark.addPerson({ role: 'reviewer' })
const desk = await addSignedIn(waymark, 'admin')
const owner = await waymark.addPerson()
const other = await waymark.addPerson()

const body = { name: 'Walk', gpx: gpxOf([northward(45, 7.5, 60, 0.0005)]) }
const shown = await addRoute(waymark, owner, { ...body, visibility: 'public' })
const linked = await addRoute(waymark, owner, { ...body, visibility: 'link' })
const secret = new URL(linked.link ?? '').searchParams.get('token') ?? ''

const suspend = async (suspended: boolean): Promise<void> => {
  const answer = await desk.call('PATCH', `/v2/admin/accounts/${owner.accountId}`, { suspended })
  assert.equal(answer.status, 200)
}
const addresses = ['', '.gpx', '.geojson', '/overview'].flatMap((what) => [
  `/v2/routes/${shown.routeID}${what}`,
  `/v2/routes/${linked.routeID}${what}?token=${secret}`,
])
const statuses = async (token?: string): Promise<number[]> => {
  const answers = await Promise.all(
    addresses.map((at) => waymark.fetch(at, token === undefined ? {} : { token })),
  )
  return [...new Set(answers.map(({ status }) => status))]
}
const listed = async (token: string): Promise<number> => {
  const answer = await waymark.fetch(`/v2/accounts/${owner.accountId}/routes`, { token })
  return ((await jsonOf(answer)) as { items: unknown[] }).items.length
}
const embedded = async (): Promise<number> => (await waymark.fetch(`/embed/routes/${shown.routeID}`)).status
const box = { south: 44, west: 7, north: 46, east: 8 }
const onMap = async (): Promise<number> =>
  (await createPublicViewsWithin(db)({ box, minDegrees: 0, limit: 10 })).length

async function expectOpen(): Promise<void> {
  for (const token of [undefined, other.token, reviewer.token, admin.token])
    assert.deepEqual(await statuses(token), [200])
  assert.equal(await listed(other.token), 1)
  assert.equal(await embedded(), 200)
  assert.equal(await onMap(), 1)
}

void it('they are visible, only to staff while the account is suspended, and visible again afterwards', async () => {
  await expectOpen()
  await suspend(true)
  assert.deepEqual(await statuses(), [401], 'as of every route that nobody is shown')
  assert.deepEqual(await statuses(other.token), [404])
  for (const { token } of [reviewer, admin]) {
    assert.deepEqual(await statuses(token), [200])
    assert.equal(await listed(token), 1)
  }
  assert.equal(await listed(other.token), 0)
  assert.equal(await embedded(), 404)
  assert.equal(await onMap(), 0)
  const change = await waymark.fetch(`/v2/routes/${shown.routeID}`, { method: 'DELETE', token: other.token })
  assert.equal(change.status, 404)
  await suspend(false)
  await expectOpen()
})
