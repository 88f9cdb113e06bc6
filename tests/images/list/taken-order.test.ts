// The published images of a trail by the day they were taken, and their number per month; the same on both engines.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { pngPicture } from '../../helpers/pictures.ts'
import { assertProblem } from '../../helpers/problems.ts'
import { startWaymark, type Waymark } from '../../helpers/waymark.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const hiding = await startWaymark({ environment: { TAKEN_AT: 'hidden' } })
after(() => hiding.close())

const days = ['2024-05-20', null, '2023-08-02', '2024-05-20', null, '2024-05-01', '2023-08-02'] as const

async function fill(server: Waymark): Promise<void> {
  await server.addTrail(1, 'Rim Trail')
  const ana = await server.addPerson({ name: 'Ana' })
  const { db } = server.installation.database
  for (const [index, day] of days.entries()) {
    server.system.advance(1_000)
    const id = await server.upload(ana, 1, await pngPicture({ width: 12, height: 9, seed: index }))
    await db
      .updateTable('image')
      .set({
        state: 'approved',
        title: `Photo ${index}`,
        taken_on: day,
        taken_at: day === null ? null : Date.parse(`${day}T10:00:00Z`),
        taken_offset: day === null ? null : 0,
        taken_zone: day === null ? null : 'stated',
      })
      .where('id', '=', id)
      .execute()
  }
}
await fill(waymark)
await fill(hiding)

/** Sent by the site's own pages on behalf of visitors. */
const visitor = { headers: { 'X-Waymark-Page': '1' } }

interface Page {
  readonly items: readonly { readonly title: string; readonly takenOn: string | null }[]
  readonly next: string | null
}

async function pageOf(server: Waymark, query: string): Promise<Page> {
  const answer = await server.fetch(`/v2/trails/1/images?${query}`, visitor)
  const text = await answer.text()
  assert.equal(answer.status, 200, text)
  return JSON.parse(text) as Page
}

async function titles(server: Waymark, query: string, limit: number): Promise<string[]> {
  const found: string[] = []
  let cursor = ''
  for (let pages = 0; pages < 20; pages += 1) {
    const { items, next } = await pageOf(server, `${query}&limit=${limit}${cursor}`)
    found.push(...items.map(({ title }) => title.replace('Photo ', '')))
    if (next === null) return found
    cursor = `&cursor=${next}`
  }
  throw new Error('the pages have no end')
}

void test('order=taken: by day, on the same day by upload, those without a day last, on every page', async () => {
  for (const limit of [1, 2, 3, 4, 5, 500]) {
    assert.equal((await titles(waymark, 'order=taken', limit)).join(''), '2650314', `pages of ${limit}`)
    assert.equal((await titles(waymark, 'order=posted', limit)).join(''), '0123456', `pages of ${limit}`)
  }
})

void test('with a filter by days, photos without one are left out', async () => {
  for (const limit of [1, 2, 500]) {
    assert.equal((await titles(waymark, 'order=taken&takenFrom=2024-05-01', limit)).join(''), '503')
    const may = 'order=taken&takenFrom=2024-05-01&takenTo=2024-05-19'
    assert.equal((await titles(waymark, may, limit)).join(''), '5')
  }
})

void test('the Link to the next page has the order', async () => {
  const answer = await waymark.fetch(`/v2/trails/1/images?order=taken&limit=2`, visitor)
  assert.match(answer.headers.get('link') ?? '', /order=taken/)
})

void test('cursors of the other order, and invented ones, are refused', async () => {
  const { next } = await pageOf(waymark, 'limit=2')
  const madeUp = Buffer.from('20249999999\n1').toString('base64url')
  for (const query of [`order=taken&cursor=${next}`, `order=taken&cursor=${madeUp}`, 'order=newest'])
    await assertProblem(await waymark.fetch(`/v2/trails/1/images?${query}`, visitor), 'invalid-query')
})

const monthsOf = async (server: Waymark): Promise<unknown> =>
  (await server.fetch(`/v2/trails/1/images/months`, visitor)).json()

void test('months: how many photos were taken in each, oldest first', async () => {
  assert.deepEqual(await monthsOf(waymark), {
    months: [
      { month: '2023-08', images: 2 },
      { month: '2024-05', images: 3 },
    ],
  })
  await assertProblem(await waymark.fetch(`/v2/trails/9/images/months`, visitor), 'invalid-trail-id')
})

void test('TAKEN_AT=hidden: no order and no months reveal the days', async () => {
  assert.equal((await titles(hiding, 'order=taken', 2)).join(''), '0123456')
  assert.deepEqual(await monthsOf(hiding), { months: [] })
})
