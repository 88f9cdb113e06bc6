// `waymark verify` of a server with ids beyond 2^53: every id is read exactly, and no specified check fails.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { longIdOption } from '../../cli/options.ts'
import { idText, named, readJsonAnswer, shown } from '../../cli/verify/readings.ts'
import { idsOf, lookAt, startAlteringProxy, startSite, trailId, type Alter } from './verify-helpers.ts'

const justBeyond = '9007199254740993' // 2^53 + 1, which a number rounds to 2^53
const last = '9223372036854775807' // 2^63 - 1, the largest long
const longTrail = '9007199254740995'
const ids = new RegExp(String.raw`\b(?:\d{14,19}|${trailId})\b`, 'g')

/** Maps each id of a Waymark to one beyond 2^53; the first two are at the ends of the range. */
function createNumbering() {
  const long = new Map([[String(trailId), longTrail]])
  const short = new Map([[longTrail, String(trailId)]])
  const free = [justBeyond, last]
  function longOf(id: string): string {
    const known = long.get(id)
    if (known !== undefined) return known
    const made = free.shift() ?? String(2n ** 62n + BigInt(id))
    long.set(id, made)
    short.set(made, id)
    return made
  }
  const alter: Alter = (exchange) => {
    if (exchange.headers['content-type']?.startsWith('image/') === true) return
    exchange.body = Buffer.from(exchange.body.toString().replaceAll(ids, longOf))
    const { location } = exchange.headers
    if (location !== undefined) exchange.headers.location = location.replaceAll(ids, longOf)
  }
  return {
    longOf,
    alter,
    translate: (text: string): string => text.replaceAll(ids, (id) => short.get(id) ?? id),
  }
}

void test('D4, A2: a server whose IDs are beyond 2^53 passes every specified check, and differs only in C4', async (t) => {
  const site = await startSite()
  t.after(() => site.waymark.close())
  const { longOf, alter, translate } = createNumbering()
  const { db } = site.waymark.installation.database
  const images = await db.selectFrom('image').select('id').orderBy('seq').execute()
  assert.deepEqual(
    images.slice(0, 2).map(({ id }) => longOf(String(id))),
    [justBeyond, last],
  )
  const baseUrl = await startAlteringProxy(t, site.waymark.url, alter, translate)
  const account = longOf(String(site.walker.accountId))
  const { outcomes, left } = await lookAt({ site, baseUrl, write: true, trail: longTrail, account })
  const breaches = outcomes.flatMap(({ id, verdict }) =>
    verdict.result === 'failed' ? [[id, verdict.seen] as const] : [],
  )
  assert.deepEqual(
    breaches.map(([id]) => id),
    ['list-safe-ids'],
    JSON.stringify(breaches),
  )
  assert.match(breaches[0]?.[1] ?? '', new RegExp(`^image ${justBeyond} has imageID ${justBeyond}, a bare`))
  assert.deepEqual(idsOf(outcomes, 'skipped'), ['routes-none'])
  assert.deepEqual([left.images.length, left.routes], [1, []])
})

void test('an ID is read digit by digit, and other numbers as numbers', () => {
  const text = `{"imageID":${last},"trailID":${justBeyond},"submitterAcctID":7,"length":1e20,"routeID":1.5}`
  const read = readJsonAnswer({ text })
  const fields = { imageID: BigInt(last), trailID: BigInt(justBeyond), submitterAcctID: 7 }
  assert.deepEqual(read, { ...fields, length: 1e20, routeID: 1.5 })
  assert.deepEqual([BigInt(last), 7, 1.5, '7', 2 ** 53].map(idText), [
    last,
    '7',
    undefined,
    undefined,
    undefined,
  ])
  assert.equal(named('image', fields), `image ${last}`)
  assert.equal(shown(BigInt(last)), `${last}, a bare number`)
})

void test('--trail and --account accept every positive long', () => {
  const read = longIdOption('--trail')
  for (const text of ['1', justBeyond, last]) assert.equal(read(text), text)
  for (const text of ['0', '01', '-1', '9223372036854775808', '1e3', ''])
    assert.throws(() => read(text), {
      message: '--trail must be a whole number from 1 to 9223372036854775807, digits only.',
    })
})
