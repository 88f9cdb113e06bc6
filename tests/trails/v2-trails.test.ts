// GET /v2/trails and /v2/trails/{trailID}: filters, order, paging, and fields (contract, Part D).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import * as fc from 'fast-check'
import { deleteTrail } from '../../src/trails/trail-end-table.ts'
import { listTrails, upsertTrails } from '../../src/trails/trail-table.ts'
import { createTrails } from '../../src/trails/trails.ts'
import { cursorOf } from '../../src/trails/v2-query.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { reachingNodes } from '../helpers/test-nodes.ts'
import { startOfTime, startWaymark, type Person, type Waymark } from '../helpers/waymark.ts'
import { jsonOf, lineOf, listAll, refused, send, type TrailDocument, type TrailPage } from './trail-client.ts'

void describe('/v2/trails', () => {
  let waymark: Waymark
  let member: Person
  const created = new Date(startOfTime).toISOString()

  before(async () => {
    waymark = await startWaymark()
    member = await waymark.addPerson({ role: 'reviewer' })
    const trails = createTrails(waymark.installation.database.db, () => waymark.system.now())
    await trails.importAll([
      { id: 30, name: 'rim trail', slug: 'lower', geometries: [lineOf([7, 46], [7.1, 46.1])] },
      { id: 20, name: 'Rim Trail', slug: 'upper', geometries: [lineOf([179.9, -17], [-179.9, -17.1])] },
      { id: 10, name: 'ÖSTERLEDEN 100%', slug: undefined },
      { id: 40, name: 'Creek_Path', slug: undefined },
    ])
  })
  after(() => waymark.close())

  const idsOf = async (query: string): Promise<number[]> =>
    (await listAll(waymark, { token: member.token, query })).map(({ trailID }) => trailID)

  it('lists by name ignoring case, equal names by id, with box, length and the number of listed images', async () => {
    const listed = await waymark.upload(member, 30, await jpegPicture())
    await waymark.upload(member, 30, await jpegPicture({ width: 20 }))
    await waymark.review(member, listed, 'approve')
    const answer = await waymark.fetch('/v2/trails', { token: member.token })
    const { items, next } = await jsonOf<TrailPage>(answer)
    assert.deepEqual(
      items.map(({ trailID }) => trailID),
      [40, 20, 30, 10],
    )
    assert.equal(next, null)
    const [, upper, lower] = items
    assert.deepEqual(upper?.bbox, [179.9, -17.1, -179.9, -17])
    assert.deepEqual(
      { ...lower, lengthMiles: Math.round((lower?.lengthMiles ?? 0) * 100) },
      {
        trailID: 30,
        name: 'rim trail',
        slug: 'lower',
        bbox: [7, 46, 7.1, 46.1],
        lengthMiles: 842,
        ascent: null,
        descent: null,
        highest: null,
        lowest: null,
        images: 1,
        cover: listed,
        createdAt: created,
        updatedAt: created,
      },
    )
    assert.deepEqual([items[0]?.bbox, items[0]?.lengthMiles, items[0]?.images], [null, null, 0])
  })

  it('finds parts of name and slug ignoring case, and treats % and _ literally', async () => {
    assert.deepEqual(await idsOf('q=RIM'), [20, 30])
    assert.deepEqual(await idsOf('q=upp'), [20])
    assert.deepEqual(await idsOf('q=%C3%B6sterl'), [10])
    assert.deepEqual(await idsOf('q=%25'), [10])
    assert.deepEqual(await idsOf('q=_'), [40])
    assert.deepEqual(await idsOf('q=trail%20rim'), [])
    assert.deepEqual(await idsOf('q=%20%20'), [40, 20, 30, 10])
  })

  it('finds boxes that intersect, across the antimeridian too, and never a trail without a line', async () => {
    assert.deepEqual(await idsOf('bbox=-180,-90,180,90'), [20, 30])
    assert.deepEqual(await idsOf('bbox=7.1,46.1,8,47'), [30])
    assert.deepEqual(await idsOf('bbox=7.2,46,8,47'), [])
    assert.deepEqual(await idsOf('bbox=170,-20,-170,-10'), [20])
    assert.deepEqual(await idsOf('bbox=179.95,-20,180,-10'), [20])
    assert.deepEqual(await idsOf('bbox=-180,-20,-179.95,-10'), [20])
    assert.deepEqual(await idsOf('bbox=-179.8,-20,179.8,-10'), [])
    assert.deepEqual(await idsOf('q=rim&bbox=-180,-20,180,0'), [20])
  })

  it('continues page by page, with a Link that includes the filters', async () => {
    assert.deepEqual(await idsOf('limit=1'), [40, 20, 30, 10])
    assert.deepEqual(await idsOf('limit=1&q=rim'), [20, 30])
    const answer = await waymark.fetch('/v2/trails?limit=1&q=rim', { token: member.token })
    const { next } = await jsonOf<TrailPage>(answer)
    assert.equal(
      answer.headers.get('link'),
      `<https://trails.example/v2/trails?limit=1&q=rim&cursor=${next}>; rel="next"`,
    )
  })

  it('refuses an invalid query in one sentence naming the parameter', async () => {
    const cursors = ['x', 'MQ', btoa('1\n!'), btoa('99999999999999999\nYQ'), btoa('1\nAA'), btoa('1\n_w')]
    const wrong = ['limit=0', 'limit=501', 'bbox=1,2,3', 'q=%00', `q=${'x'.repeat(201)}`, 'q=a&q=b']
    for (const query of [...wrong, ...cursors.map((cursor) => `cursor=${encodeURIComponent(cursor)}`)]) {
      const answer = await waymark.fetch(`/v2/trails?${query}`, { token: member.token })
      const detail = await refused(answer, 400, 'invalid-query')
      assert.match(detail, new RegExp(`^The parameter ${query.split('=')[0]} must be [^\\n]+\\.$`), query)
    }
  })

  it('returns one trail with its line and an ETag, to API keys too', async () => {
    const key = await waymark.addKey(member.accountId)
    const answer = await waymark.fetch(`/v2/trails/30?api_key=${key}`)
    assert.equal(answer.status, 200)
    const { geometry, images } = await jsonOf<TrailDocument>(answer)
    assert.deepEqual(geometry, lineOf([7, 46], [7.1, 46.1]))
    assert.equal(images, 1)
    const etag = answer.headers.get('etag') ?? ''
    const again = await waymark.fetch('/v2/trails/30', {
      token: member.token,
      headers: { 'if-none-match': etag },
    })
    assert.equal(again.status, 304)
    const plain = await jsonOf<TrailDocument>(await waymark.fetch('/v2/trails/40', { token: member.token }))
    assert.equal(plain.geometry, null)
    for (const id of reachingNodes(['41', '0', 'x', '-1', '1e1', '9007199254740993', '%00']))
      await refused(await waymark.fetch(`/v2/trails/${id}`, { token: member.token }), 404, 'invalid-trail-id')
  })

  it('accepts an API key or a token with images:read, and nothing less', async () => {
    const routes = await waymark.tokenFor(member.accountId, 'routes:read')
    for (const path of ['/v2/trails', '/v2/trails/30', '/v2/trails.csv']) {
      await refused(await waymark.fetch(path), 401, 'credential-required')
      await refused(await waymark.fetch(path, { token: routes }), 403, 'insufficient-scope')
      const key = await waymark.addKey(member.accountId)
      assert.equal((await waymark.fetch(path, { headers: { 'x-api-key': key } })).status, 200)
    }
  })

  it('shows a new name in the next response of the classic list, in both formats (C19)', async () => {
    const admin = await waymark.addPerson({ role: 'admin' })
    const body = { name: 'Renamed', slug: 'renamed' }
    assert.equal((await send(waymark, 'PUT', '/v2/trails/30', { token: admin.token, body })).status, 200)
    for (const accept of ['application/json', 'application/xml']) {
      const list = await waymark.fetch('/Trails/30/Images', { token: member.token, headers: { accept } })
      const text = await list.text()
      assert.ok(text.includes('Renamed') && text.includes('renamed'), text)
    }
  })
})

void describe('the pages of the list', () => {
  it('never skip or repeat a trail that exists throughout (property)', async () => {
    const waymark = await startWaymark()
    const { db } = waymark.installation.database
    // Long common prefixes, so that different names have the same key, and characters of various lengths.
    const name = fc.oneof(
      fc.constantFrom('Loop', 'loop', 'Ⅸ', '𐍈', `${'x'.repeat(50)}a`, `${'x'.repeat(50)}b`),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }),
    )
    const write = (id: number, of: string) => upsertTrails(db, [{ id, name: of, slug: `t-${id}` }], 1)
    try {
      await fc.assert(
        fc.asyncProperty(
          fc.array(name, { minLength: 1, maxLength: 12 }),
          fc.array(fc.record({ name, isThere: fc.boolean(), at: fc.nat(20) }), { maxLength: 10 }),
          fc.integer({ min: 1, max: 4 }),
          async (steady, passing, limit) => {
            await db.deleteFrom('trail').execute()
            for (const [at, of] of steady.entries()) await write(2 * at + 1, of)
            for (const { name: of, isThere, at } of passing) if (isThere) await write(2 * at + 2, of)
            const seen: number[] = []
            let cursor: { sortKey: string; id: number } | undefined
            for (let page = 0; ; page += 1) {
              const rows = await listTrails(db, { after: cursor }, limit)
              seen.push(...rows.map(({ id }) => id))
              const last = rows.at(-1)
              if (!last) break
              cursor = last
              const change = passing[page]
              if (!change) continue
              if (change.isThere) await db.transaction().execute((tx) => deleteTrail(tx, 2 * change.at + 2))
              else await write(2 * change.at + 2, change.name)
            }
            const odd = seen.filter((id) => id % 2 === 1).toSorted((a, b) => a - b)
            assert.deepEqual(
              odd,
              steady.map((_, at) => 2 * at + 1),
            )
          },
        ),
        { numRuns: 30 },
      )
    } finally {
      await waymark.close()
    }
  })

  it('have cursors that any name fits into', () => {
    const parts = cursorOf({ id: Number.MAX_SAFE_INTEGER, sortKey: '\u{10ffff}'.repeat(40) })
    assert.match(parts.join('\n'), /^\d{16}\n[\w-]{1,256}$/)
  })
})
