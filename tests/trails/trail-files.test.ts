// Trails as files over HTTP: the dry run reports what an import would do, all or nothing, with the position of every
// problem.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startWaymark, type Person, type Waymark } from '../helpers/waymark.ts'
import { jsonOf, lineOf, listAll, refused, type TrailDocument } from './trail-client.ts'
import { collection, createTrailFiles, feature, geojson, line, type TrailFiles } from './trail-files.ts'

void describe('trails as files', () => {
  let waymark: Waymark
  let admin: Person
  let files: TrailFiles
  const dry: TrailFiles['dry'] = (...request) => files.dry(...request)
  const taken: TrailFiles['taken'] = (...request) => files.taken(...request)
  const send: TrailFiles['send'] = (...request) => files.send(...request)
  const emptied = (): Promise<void> => files.emptied()

  before(async () => {
    waymark = await startWaymark({ environment: { MAX_IMPORT_BYTES: '3000000' } })
    admin = await waymark.addPerson({ role: 'admin' })
    files = createTrailFiles(waymark, admin)
  })
  after(() => waymark.close())

  void it('a dry run reports what is new, changed and unchanged, and changes nothing', async () => {
    await emptied()
    const first = collection(
      feature({ id: '1', name: 'Rim' }, line),
      feature({ id: 2, name: 'Loop', slug: 'round' }),
      feature({ id: 3, name: 'Creek' }),
    )
    const plan = await dry(first, geojson)
    const made = [
      { trailID: 1, name: 'Rim', slug: 'rim', place: 'feature 1' },
      { trailID: 2, name: 'Loop', slug: 'round', place: 'feature 2' },
      { trailID: 3, name: 'Creek', slug: 'creek', place: 'feature 3' },
    ]
    const counts = { new: 3, changed: 0, problems: 0 }
    assert.deepEqual(plan, { new: made, changed: [], unchanged: 0, problems: [], counts, isApplied: false })
    assert.deepEqual(await listAll(waymark, { token: admin.token }), [])
    assert.deepEqual(await taken(first, { type: geojson }), { ...plan, isApplied: true })

    const moved = lineOf([7, 46], [7.2, 46.1])
    const second = collection(
      feature({ id: 1, name: 'Rim' }, moved),
      feature({ id: 2, name: 'New Loop' }, line),
      feature({ id: 3, name: 'Creek' }),
    )
    const change = await dry(second, geojson)
    assert.deepEqual(change.changed, [
      { trailID: 1, place: 'feature 1', fields: { geometry: 'changed' } },
      {
        trailID: 2,
        place: 'feature 2',
        fields: {
          name: { from: 'Loop', to: 'New Loop' },
          slug: { from: 'round', to: 'new-loop' },
          geometry: 'changed',
        },
      },
    ])
    assert.deepEqual([change.new, change.unchanged, change.isApplied], [[], 1, false])
    const before = await listAll(waymark, { token: admin.token })
    assert.ok(before.some(({ slug }) => slug === 'round'))
    assert.deepEqual(await taken(second, { type: geojson }), { ...change, isApplied: true })
    const again = await taken(second, { type: geojson })
    assert.deepEqual([again.new, again.changed, again.unchanged], [[], [], 3])
  })

  void it('keeps the line of a trail if the file has none, and increases the version only on changes', async () => {
    await emptied()
    await taken(collection(feature({ id: 1, name: 'Rim' }, line)), { type: geojson })
    const { db } = waymark.installation.database
    const version = async () =>
      (await db.selectFrom('trail').select('version').executeTakeFirstOrThrow()).version
    const was = await version()
    await taken('trailID,name,slug\n1,Rim,rim\n')
    assert.equal(await version(), was)
    await taken('trailID,name,slug\n1,Rim,rim-trail\n')
    assert.ok((await version()) > was)
    const trail = await waymark.fetch('/v2/trails/1', { token: admin.token })
    assert.deepEqual((await jsonOf<TrailDocument>(trail)).geometry, line)
  })

  void it('the segments of an OpenTrails trail are parts of its line; points do not change it', async () => {
    await emptied()
    const other = lineOf([8, 46], [8.1, 46.1])
    const point = { type: 'Point', coordinates: [7, 46] }
    const text = collection(
      feature({ id: '1', name: 'Rim' }, line),
      feature({ id: '1', name: 'Rim' }, other),
      feature({ id: '1', name: 'Rim' }, line),
      feature({ id: '2', name: 'Head' }, point),
    )
    assert.equal((await taken(text, { type: geojson })).new.length, 2)
    const [head, rim] = await Promise.all(
      ['2', '1'].map(async (id) =>
        jsonOf<TrailDocument>(await waymark.fetch(`/v2/trails/${id}`, { token: admin.token })),
      ),
    )
    assert.equal(head?.geometry, null)
    assert.deepEqual(rim?.geometry, {
      type: 'MultiLineString',
      coordinates: [line.coordinates, other.coordinates],
    })
  })

  void it('reports every problem with its place; without a dry run the first one is the refusal, and nothing is stored', async () => {
    await emptied()
    await taken('trailID,name,slug\n9,Nine,nine\n')
    const csv =
      'trailID,name,slug\n1,Rim,rim\n0,,a/b\n2,Loop,rim\n3,Creek,nine\n4,Four\n4,Five\n5,A,a,b\n6,Six,'
    const plan = await dry(csv)
    assert.deepEqual(plan.problems.map(({ place, detail }) => `${place}: ${detail}`).toSorted(), [
      'line 3: name must have 1 to 256 characters.',
      'line 3: slug must consist of letters, digits, hyphens, dots and underscores, and start with a letter or digit.',
      'line 3: trailID must be a whole number from 1 to 9007199254740991.',
      'line 4: slug rim belongs to trail 1.',
      'line 5: slug nine belongs to trail 9.',
      'line 7: trail 4 differs from line 6.',
      'line 8: the row has 4 fields, but the header has 3.',
    ])
    assert.deepEqual(
      [plan.counts, plan.isApplied, plan.new.map(({ trailID }) => trailID)],
      [{ new: 3, changed: 0, problems: 7 }, false, [1, 4, 6]],
    )
    const detail = await refused(await send(csv), 400, 'invalid-field')
    assert.match(
      detail,
      /^line 3: trailID must be a whole number from 1 to 9007199254740991; there are 6 more problems\.$/,
    )
    const rules = 'trailID,name\n1,Rim\n2,\nx,Y'
    assert.match(
      await refused(await send(rules), 400, 'invalid-field'),
      /^line 3: name must have 1 to 256 characters; there is 1 more problem\.$/,
    )
    const clash = 'trailID,name,slug\n1,Rim,rim\n2,Loop,rim'
    assert.equal(
      await refused(await send(clash), 400, 'invalid-field'),
      'line 3: slug rim belongs to trail 1.',
    )
    const left = await listAll(waymark, { token: admin.token })
    assert.deepEqual(
      left.map(({ trailID }) => trailID),
      [9],
    )
    const bad = collection(
      feature({ id: 1, name: 'A' }, lineOf([0, 0])),
      { type: 'Point' },
      feature({ id: 2, name: 7 }),
    )
    assert.deepEqual((await dry(bad, geojson)).problems, [
      { place: 'feature 1', detail: 'geometry must have at least two points in line 1.' },
      { place: 'feature 2', detail: 'it is not a GeoJSON Feature.' },
      { place: 'feature 3', detail: 'name must be a string.' },
    ])
  })

  void it('limits its lists and still counts everything', async () => {
    await emptied()
    const rows = Array.from({ length: 2_001 }, (_, at) =>
      at % 2 === 0 ? `${at + 1},Trail ${at}` : `${at + 1},`,
    )
    const plan = await dry(`trailID,name\n${rows.join('\n')}`)
    assert.deepEqual(plan.counts, { new: 1_001, changed: 0, problems: 1_000 })
    assert.deepEqual([plan.new.length, plan.problems.length], [1_000, 1_000])
  })

  void it('refuses files of other kinds with the right status, in a dry run too', async () => {
    const many = `trailID,name\n${Array.from({ length: 10_001 }, (_, at) => `${at + 1},T`).join('\n')}`
    const values = `{"type":"FeatureCollection","features":[${'0,'.repeat(1_000_001)}0]}`
    const wrong: readonly [string | Buffer, string, number, string, RegExp][] = [
      ['x', 'text/plain', 415, 'unsupported-media-type', /text\/csv or application\/geo\+json/],
      ['', 'text/csv', 400, 'malformed-body', /^Line 1: the header trailID,name,slug is missing\.$/],
      ['trailID,name\n1,"A', 'text/csv', 400, 'malformed-body', /^Line 2: a quoted field is not closed\.$/],
      [
        `trailID,name\n1,"${'A'.repeat(1_100_000)}`,
        'text/csv',
        400,
        'malformed-body',
        /longer than a million bytes/,
      ],
      [
        `trailID,name\n1,A\n${','.repeat(110_000)}`,
        'text/csv',
        400,
        'malformed-body',
        /^Line 3: .* 100000 commas\.$/,
      ],
      [`trailID,name${',x'.repeat(1_000)}`, 'text/csv', 400, 'malformed-body', /^Line 1: .* 1000 columns\.$/],
      ['{', geojson, 400, 'malformed-body', /line 1, column 2/],
      ['[]', geojson, 400, 'malformed-body', /not a GeoJSON FeatureCollection/],
      [`${'['.repeat(70)}${']'.repeat(70)}`, geojson, 400, 'malformed-body', /64/],
      [values, geojson, 400, 'malformed-body', /1,?000,?000/],
      [Buffer.from([0x74, 0xff]), 'text/csv', 400, 'malformed-body', /UTF-8/],
      [many, 'text/csv', 413, 'body-too-large', /At most 10,000 trails/],
      // Rows take time and memory, even duplicate or invalid ones.
      [`trailID,name\n${'1,T\n'.repeat(10_001)}`, 'text/csv', 413, 'body-too-large', /At most 10,000 trails/],
      [
        `trailID,name\n${'1,T,\n'.repeat(10_001)}`,
        'text/csv',
        413,
        'body-too-large',
        /At most 10,000 trails/,
      ],
      [
        `{"type":"FeatureCollection","features":[${'0,'.repeat(10_000)}0]}`,
        geojson,
        413,
        'body-too-large',
        /At most 10,000 trails/,
      ],
      ['x'.repeat(3_000_001), 'text/csv', 413, 'body-too-large', /3000000 bytes/],
    ]
    for (const [index, [body, type, status, code, sentence]] of wrong.entries()) {
      const query = index % 2 === 0 ? '' : '?dryRun=true'
      assert.match(await refused(await send(body, { type, query }), status, code), sentence)
    }
    await refused(await send('trailID,name\n', { query: '?dryRun=yes' }), 400, 'invalid-query')
  })

  void it('ignores anything else in a file, however much it is', async () => {
    await emptied()
    const note = 'n'.repeat(20_000)
    const rim = { ...feature({ id: 1, name: 'Rim' }, line), note }
    const loop = feature({ id: 2, name: 'Loop', note: { note, trailID: 3 } }, { ...line, note })
    const text = JSON.stringify({ note: [note, { features: [rim] }], ...JSON.parse(collection(rim, loop)) })
    const { new: added, problems } = await dry(text, geojson)
    assert.deepEqual(
      [added.map(({ trailID, name }: { trailID: number; name: string }) => [trailID, name]), problems],
      [
        [
          [1, 'Rim'],
          [2, 'Loop'],
        ],
        [],
      ],
    )
  })

  void it('an import is one audit entry, and none if nothing changed', async () => {
    await emptied()
    const { db } = waymark.installation.database
    const entries = () =>
      db.selectFrom('audit').select(['actor_id', 'detail']).where('action', '=', 'trail.imported').execute()
    const was = (await entries()).length
    await taken('trailID,name\n1,Rim\n2,Loop\n')
    await taken('trailID,name\n1,Rim\n2,Loop\n')
    const now = await entries()
    assert.equal(now.length, was + 1)
    assert.deepEqual(JSON.parse(now.at(-1)?.detail ?? ''), { new: 2, changed: 0 })
    assert.equal(now.at(-1)?.actor_id, admin.accountId)
  })
})
