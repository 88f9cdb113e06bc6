// The set-up page offers the map once, in a plain form: the choice applies, and never blocks creating the account.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test, type TestContext } from 'node:test'
import type { Environment } from '../../src/settings/config.ts'
import type { SiteMap } from '../../src/shared/v2/site-map-schemas.ts'
import { mapPresets } from '../../src/shared/map-presets.ts'
import { takeMapOffer } from '../../src/sign-in/map-offer.ts'
import { makeTinyApp } from '../helpers/tiny-app.ts'
import { createVisitor } from '../helpers/visitor.ts'
import { startWaymark } from '../helpers/waymark.ts'

const ann = { email: 'ann@trails.example', name: 'Ann', password: 'a long walk home' }

async function setUp(t: TestContext, environment: Environment = {}) {
  const webFolder = await makeTinyApp()
  const waymark = await startWaymark({ webFolder, environment: { WEB_APP: 'on', ...environment } })
  t.after(async () => {
    await waymark.close()
    await rm(webFolder, { recursive: true })
  })
  const link = (await waymark.app.services.joining.makeSetUpLink()) ?? ''
  return { waymark, link, visitor: createVisitor(waymark) }
}

void test('the choice is offered with an explanation, kept if the form has an error, and applied', async (t) => {
  const { link, visitor } = await setUp(t)
  const { text } = await visitor.get(link)
  assert.match(text, /<legend>Map<\/legend>/)
  assert.match(text, /OpenFreeMap, which learns their IP address/)
  assert.match(text, /value="none"[^>]*checked/)
  const short = await visitor.post(link, { ...ann, password: 'short', map: 'file' })
  assert.match(short.text, /value="file"[^>]*checked/)
  const done = await visitor.post(link, { ...ann, map: 'none' })
  assert.deepEqual([done.status, new URL(done.headers.get('location') ?? '', link).pathname], [303, '/'])
  const map = JSON.parse((await visitor.call('GET', '/v2/admin/map')).text) as SiteMap
  assert.deepEqual(map.choice, { kind: 'none' })
  assert.notEqual(map.changedAt, null)
})

void test('a choice that is not possible yet leads to the map page, with the account created', async (t) => {
  const { link, visitor } = await setUp(t)
  const done = await visitor.post(link, { ...ann, map: 'file' })
  assert.deepEqual(
    [done.status, new URL(done.headers.get('location') ?? '', link).pathname],
    [303, '/admin/map'],
  )
  const map = JSON.parse((await visitor.call('GET', '/v2/admin/map')).text) as SiteMap
  assert.equal(map.changedAt, null)
})

void test('it is not offered if a setting decides, to invited people, or without pages', async (t) => {
  const decided = await setUp(t, { MAP_PMTILES: '/srv/region.pmtiles' })
  assert.doesNotMatch((await decided.visitor.get(decided.link)).text, /<legend>Map/)
  const bare = await setUp(t, { WEB_APP: 'off' })
  assert.doesNotMatch((await bare.visitor.get(bare.link)).text, /<legend>Map/)
  const done = await bare.visitor.post(bare.link, { ...ann, map: 'none' })
  assert.equal(new URL(done.headers.get('location') ?? '', bare.link).pathname, '/')
  const { joining } = decided.waymark.app.services
  const invited = await joining.invite('rev@trails.example', 'admin', { accountId: null, via: 'command' })
  assert.doesNotMatch((await decided.visitor.get(invited.link)).text, /<legend>Map/)
})

void test('the online map is the first that is offered by name', async () => {
  const chosen: unknown[] = []
  const offer = (isReadable: boolean) => ({
    isOpen: async () => true,
    choose: async (...args: unknown[]) => {
      chosen.push(args)
      if (!isReadable) throw new Error('cannot be read')
    },
  })
  assert.equal(await takeMapOffer(offer(true), 7, 'style'), '/')
  assert.equal(await takeMapOffer(offer(false), 7, 'style'), '/admin/map')
  const first = [7, { kind: 'style', url: mapPresets[0]?.url }]
  assert.deepEqual(chosen, [first, first])
  assert.equal(await takeMapOffer(offer(true), 7, undefined), '/')
  assert.equal(await takeMapOffer(offer(true), 7, 'nonsense'), '/')
  assert.equal(chosen.length, 2)
})
