// A hundred routes do not reveal the home; with circles on a narrow ring, twenty did (decision 0098).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oldCircleOf } from './old-zone-circle.ts'
import { attack, bestOf, circlesOf } from './zone-attack.ts'
import { familiesOf, rays } from './zone-walks.ts'

const radiusMetres = 200
const scale = { radius: radiusMetres, far: 20 * radiusMetres }
const families = familiesOf(scale)
const hidden = { radiusMetres, circles: circlesOf('disc'), routes: 100, homes: 60, seed: 20 }

for (const [name, walks] of Object.entries(families))
  void test(`issue 20: with 100 routes (${name}), no attack gets closer to home than the radius of the zone, in the median`, () => {
    const best = bestOf(attack({ ...hidden, walks }))
    assert.ok(best.metres >= radiusMetres, `${best.name}: ${best.metres.toFixed()} m`)
  })

void test('issue 20: the same attacks find a home through 20 routes if its circle is displaced by only 400 to 500 m', () => {
  const walks = families['streets']
  assert.ok(walks)
  const best = bestOf(attack({ ...hidden, walks, circles: oldCircleOf, routes: 20 }))
  assert.ok(best.metres < radiusMetres, `${best.name}: ${best.metres.toFixed()} m`)
})

void test('issue 20: what no zone can hide, as docs/routes.md says: straight lines from the door in all directions', () => {
  const best = bestOf(attack({ ...hidden, walks: rays(scale), homes: 20 }))
  assert.ok(best.metres < 10, `${best.metres} m`)
})
