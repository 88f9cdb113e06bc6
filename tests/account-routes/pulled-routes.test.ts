// Taking over a change of another server: only of a route that is still as it was when it was compared.
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { createPulledRoutes } from '../../src/account-routes/pulled-routes.ts'
import { gpxLimits } from '../../src/shared/gpx/gpx.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { changeRoute, gpxOf, northward } from './v2-helpers.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const ana = await waymark.addPerson({ name: 'Ana' })
const routes = createPulledRoutes({
  db: waymark.installation.database.db,
  now: () => waymark.system.now(),
  source: 'https://old.example/V1',
  gpxCheck: 'on',
  gpxLimits,
})

const there = (id: number, name: string) => ({
  id,
  accountId: ana.accountId,
  name,
  description: '',
  length: '1',
  gpx: gpxOf([northward(45, 7, 3)]),
  createdAt: 1_700_000_000_000,
})

async function compared(id: number) {
  const route = await routes.find(id)
  assert.ok(route)
  return route
}

void it('a route that its owner changes or deletes after it was compared stays as it is', async () => {
  for (const id of [1, 2, 3]) await routes.bring(there(id, 'Before'), async () => undefined)
  const [changed, deleted, same] = [await compared(1), await compared(2), await compared(3)]
  await changeRoute(waymark, ana, { id: 1, name: 'Mine' })
  const { status } = await waymark.fetch('/v2/routes/2', { method: 'DELETE', token: ana.token })
  assert.equal(status, 204)
  assert.equal(await routes.follow(there(1, 'There'), changed), false)
  assert.equal(await routes.follow(there(2, 'There'), deleted), false)
  assert.equal(await routes.follow(there(3, 'There'), same), true)
  const names = [(await routes.find(1))?.name, (await routes.find(2))?.name, (await routes.find(3))?.name]
  assert.deepEqual(names, ['Mine', undefined, 'There'])
})
