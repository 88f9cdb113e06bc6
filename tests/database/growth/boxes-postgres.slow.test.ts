// Images in a box on PostgreSQL are found by their cells, however many images are elsewhere.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { explain, openAsked } from '../../../bench/parts/explain-postgres.ts'
import { growPostgres } from '../../../bench/parts/grow-postgres.ts'
import { listImages } from '../../../src/images/list/newest-table.ts'
import { startPostgres, whyNoPostgres } from '../../helpers/postgres.ts'

const images = 20_000
/** The whole table has some hundred pages. */
const maxPages = 250

const boxes = {
  'a small one': { west: 7, south: 46, east: 7.1, north: 46.1 },
  'one with none': { west: -123, south: 20, east: -122, north: 21 },
  'one over the antimeridian': { west: 170, south: 45, east: -170, north: 46 },
}

void test('bbox searches never read all images', { skip: whyNoPostgres() }, async (t) => {
  const postgres = await startPostgres()
  const closing = [() => postgres.end()]
  t.after(async () => {
    for (const close of closing.toReversed()) await close()
  })
  const url = await postgres.createDatabase()
  const client = new Client({ connectionString: url })
  await client.connect()
  closing.push(() => client.end())
  await growPostgres(client, images, () => undefined)
  const asked = await openAsked(url)
  closing.push(() => asked.close())
  for (const [name, within] of Object.entries(boxes))
    for (const statement of await asked.ask((db) => listImages(db, { within }, 50)))
      for (const { nodes, pages, failure } of await explain(client, statement)) {
        assert.equal(failure, undefined, name)
        assert.doesNotMatch(nodes, /Seq Scan image\b/, name)
        assert.ok(pages < maxPages, `${name}: ${pages} pages, ${nodes}`)
      }
})
