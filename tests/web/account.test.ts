// Logic of the account pages: names of browsers, sections and their order, entered zones, drafts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scopes } from '../../src/auth/scopes.ts'
import { scopeSentences } from '../../src/shared/scope-sentences.ts'
import { browserName } from '../../web/pages/account/browser-name.ts'
import { sectionBeside, sectionIn, sectionNames } from '../../web/pages/account/section-names.ts'
import { signatureCheck } from '../../web/pages/account/signature-check.ts'
import {
  boundsAround,
  hiddenIn,
  noZone,
  placedAt,
  radiusIn,
  zoneIn,
} from '../../web/pages/account/zone-fields.ts'
import { readFile } from 'node:fs/promises'

void test('browsers are shown by their usual names, however many older names are in their user agent', () => {
  const names: Readonly<Record<string, string>> = {
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0': 'Firefox on Linux',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36':
      'Chrome on Windows',
    'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0':
      'Edge on Windows',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1':
      'Safari on iPhone',
    'curl/8.9.1': 'curl/8.9.1',
    '': 'Unknown browser',
  }
  for (const [agent, name] of Object.entries(names)) assert.equal(browserName(agent), name)
})

void test('an address names a section; without one it is the first, and next and previous wrap around', () => {
  assert.equal(sectionIn(undefined), 'profile')
  assert.equal(sectionIn('keys'), 'keys')
  assert.equal(sectionIn('toString'), undefined)
  assert.equal(sectionBeside('leave', 1), 'profile')
  assert.equal(sectionBeside('profile', -1), 'leave')
  let at = sectionNames[0] ?? 'profile'
  const seen = sectionNames.map(() => (at = sectionBeside(at, 1)))
  assert.deepEqual(new Set(seen), new Set(sectionNames))
})

void test('a zone is read from what is typed, including a comma or spaces, and never out of bounds', () => {
  const typed = { ...noZone, lat: ' 46,5 ', lon: '-7.25', name: ' Home ' }
  assert.deepEqual(zoneIn(typed), { lat: 46.5, lon: -7.25, radius: 200, name: 'Home' })
  assert.deepEqual(zoneIn({ ...typed, name: ' ' }), { lat: 46.5, lon: -7.25, radius: 200 })
  for (const wrong of [{ lat: '' }, { lat: '90.1' }, { lon: 'x' }, { radius: '49' }, { radius: '1001' }])
    assert.equal(zoneIn({ ...typed, ...wrong }), undefined, JSON.stringify(wrong))
  assert.equal(radiusIn({ ...noZone, radius: '50' }), 50)
})

void test('issue 20: what a zone would hide is shown for the typed radius, and not for an invalid one', () => {
  const sizes = [
    { maxRadius: 100, added: 901 },
    { maxRadius: 1_000, added: 9_001 },
  ]
  const hidden = (radius: string) => hiddenIn({ ...noZone, radius }, sizes)
  assert.deepEqual(hidden('100'), { radiusMetres: 1_001, maxOffsetMetres: 901 })
  assert.deepEqual(hidden('100.5'), { radiusMetres: 9_101.5, maxOffsetMetres: 9_001 })
  for (const radius of ['', '49', '1001', 'far']) assert.equal(hidden(radius), undefined)
  assert.equal(hiddenIn(noZone, undefined), undefined)
})

void test('a click on a map scrolled around the world is brought back into range', () => {
  assert.deepEqual(placedAt(noZone, { lat: 46.123456, lon: 367.5 }), {
    ...noZone,
    lat: '46.12346',
    lon: '7.50000',
  })
  assert.equal(placedAt(noZone, { lat: 0, lon: -190 }).lon, '170.00000')
})

void test('the map shows every circle completely', () => {
  assert.equal(boundsAround([]), undefined)
  const [west, south, east, north] = boundsAround([{ lat: 60, lon: 10, radius: 1_000 }]) ?? [0, 0, 0, 0]
  assert.ok(south < 60 - 0.009 && north > 60 + 0.009)
  assert.ok(west < 10 - 0.018 && east > 10 + 0.018, 'degrees are half as long at 60° north')
})

void test('every scope has a sentence, and the signature check is the same as in the guide', async () => {
  assert.deepEqual(Object.keys(scopeSentences.en), [...scopes])
  const guide = await readFile(new URL('../../docs/webhooks.md', import.meta.url), 'utf8')
  assert.ok(guide.includes(signatureCheck))
})
