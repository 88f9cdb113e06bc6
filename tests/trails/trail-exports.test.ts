// Exports can be imported unchanged, with any names and lines, and no name is executed as a formula (trust 38).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import * as fc from 'fast-check'
import { createTrails } from '../../src/trails/trails.ts'
import { startWaymark, type Person, type Waymark } from '../helpers/waymark.ts'
import { listAll } from './trail-client.ts'
import { collection, createTrailFiles, feature, geojson, type TrailFiles } from './trail-files.ts'

void describe('exported trails', () => {
  let waymark: Waymark
  let admin: Person
  let files: TrailFiles
  const dry: TrailFiles['dry'] = (...request) => files.dry(...request)
  const taken: TrailFiles['taken'] = (...request) => files.taken(...request)
  const exported = (format: string): Promise<string> => files.exported(format)
  const emptied = (): Promise<void> => files.emptied()

  before(async () => {
    waymark = await startWaymark()
    admin = await waymark.addPerson({ role: 'admin' })
    files = createTrailFiles(waymark, admin)
  })
  after(() => waymark.close())

  void it('a name that a spreadsheet would run as a formula is marked as text in the CSV (trust 38)', async () => {
    await emptied()
    const names = ['=1+1', '+49', '-Loop', '@home', "'=quoted", "'plain", '＝wide', 'a=b', '=a,"b"']
    const trails = names.map((name, at) => feature({ trailID: at + 1, name }))
    await taken(collection(...trails), { type: geojson })
    const rows = (await exported('csv')).split('\r\n').slice(1, -1)
    assert.deepEqual(
      rows.map((row) => row.replace(/^\d+,/, '').replace(/,[^,]*$/, '')),
      ["'=1+1", "'+49", "'-Loop", "'@home", "''=quoted", "'plain", "'＝wide", 'a=b', '"\'=a,""b"""'],
    )
    const plan = await dry(await exported('csv'))
    assert.deepEqual([plan.unchanged, plan.changed, plan.new], [names.length, [], []])
  })

  void it('exports download as files of the right type', async () => {
    for (const [format, type] of [
      ['csv', 'text/csv; charset=utf-8'],
      ['geojson', 'application/geo+json; charset=utf-8'],
    ] as const) {
      const answer = await waymark.fetch(`/v2/trails.${format}`, { token: admin.token })
      assert.equal(answer.headers.get('content-type'), type)
      assert.equal(answer.headers.get('content-disposition'), `attachment; filename="trails.${format}"`)
      assert.match(answer.headers.get('cache-control') ?? '', /no-store/)
      await answer.text()
    }
    await emptied()
    assert.equal(await exported('csv'), 'trailID,name,slug\r\n')
    assert.deepEqual(JSON.parse(await exported('geojson')), { type: 'FeatureCollection', features: [] })
  })

  void it('whatever its names and lines, an export is imported without a difference (property)', async () => {
    const { db } = waymark.installation.database
    const trails = createTrails(db, () => waymark.system.now())
    const odd = fc.constantFrom(
      '=',
      '+',
      '-',
      '@',
      "'",
      '"',
      ',',
      '\n',
      '\r',
      '\r\n',
      '\t',
      ';',
      ' ',
      '＝',
      'é',
      'e\u0301',
      '𐍈',
      '\u2028',
      '\u00a0',
      '\ufeff',
      'x',
      '#',
      '\\',
    )
    const name = fc
      .array(odd, { minLength: 1, maxLength: 12 })
      .map((parts) => parts.join(''))
      .filter((text) => text.trim() !== '')
    const place = fc.tuple(
      fc.double({ min: -180, max: 180, noNaN: true }),
      fc.double({ min: -90, max: 90, noNaN: true }),
    )
    const part = fc.array(place, { minLength: 2, maxLength: 5 })
    const drawn = fc.option(fc.array(part, { minLength: 1, maxLength: 3 }), { nil: undefined })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ name, drawn }), { maxLength: 8 }), async (sent) => {
        await emptied()
        await trails.importAll(
          sent.map((trail, at) => ({
            id: at + 1,
            name: trail.name,
            slug: undefined,
            geometries: trail.drawn && [{ type: 'MultiLineString', coordinates: trail.drawn }],
          })),
        )
        const was = await listAll(waymark, { token: admin.token })
        for (const [format, type] of [
          ['csv', 'text/csv'],
          ['geojson', geojson],
        ] as const) {
          const plan = await dry(await exported(format), type)
          assert.deepEqual([plan.changed, plan.new, plan.problems], [[], [], []])
          assert.equal(plan.unchanged, sent.length)
        }
        const text = await exported('geojson')
        await emptied()
        await taken(text, { type: geojson })
        const now = await listAll(waymark, { token: admin.token })
        assert.deepEqual(now, was)
      }),
      { numRuns: 12 },
    )
  })
})
