// The attacks of tests/account-routes/zones/zone-attacks.test.ts with more homes, every zone size, and both kinds of
// displacement.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attack, bestOf, circlesOf } from './zone-attack.ts'
import { familiesOf } from './zone-walks.ts'

// The largest zone of each size: smaller ones hide as much, and promise less.
const sizes = { disc: [100, 200, 300, 500, 1_000], ring: [200, 1_000] } as const

for (const displacement of ['disc', 'ring'] as const)
  for (const radiusMetres of sizes[displacement])
    for (const [name, walks] of Object.entries(familiesOf({ radius: radiusMetres, far: 20 * radiusMetres })))
      void test(`issue 20: a zone of ${radiusMetres} m (${displacement}) and 100 routes (${name}), 200 homes`, (t) => {
        const circles = circlesOf(displacement)
        const errors = attack({ radiusMetres, walks, circles, routes: 100, homes: 200, seed: 1 })
        const best = bestOf(errors)
        t.diagnostic(`${best.name}: ${(best.metres / radiusMetres).toFixed(2)} radii`)
        assert.ok(best.metres >= radiusMetres, `${best.name}: ${best.metres.toFixed()} m`)
      })
