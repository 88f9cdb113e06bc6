// Fills a freshly migrated PostgreSQL database with images in chunks, by SQL alone, as bench/parts/grow.ts does for
// SQLite. It also adds the rows that the queries of tests/database/query-plans.ts look for.
import type { Client } from 'pg'
import { squareZooms } from '../../src/database/map-squares.ts'
import { renditionVersion } from '../../src/imaging/renditions.ts'
import { fillTrailGrams } from '../../src/database/trail-grams.ts'

const imagesOfChunk = 200_000
/** A prime and a multiplier that spread ids without duplicates. */
const idPrime = '9007199254740881'
const idStep = '5566755282871'
const firstPostedAt = Date.UTC(2022, 4, 1)
const lastPostedAt = Date.UTC(2026, 4, 1)

/** Values used in the queries. */
const asked = { trail: 4_711, account: 42, image: 1, sha256: 'ab'.repeat(32) }
const adminId = 1
const heavyId = 3
const firstMember = 4

/** A uniform pseudo-random share from 0 to 1, derived from the number and the salt. */
const share = (number: string, salt: number): string =>
  `((${number}::bigint * ${2_654_435_761 + salt * 40_503_014} + ${salt * 997}) % 2147483647 / 2147483647.0::float8)`

const latitudeOf = (trail: string): string =>
  `(case when ${trail} % 3 > 0 then 44 + 4 * ${share(trail, 5)} else 34 + 15 * ${share(trail, 5)} end)`
const longitudeOf = (trail: string): string =>
  `(case when ${trail} % 3 > 0 then 6 + 9 * ${share(trail, 6)} else -123 + 19 * ${share(trail, 6)} end)`

/** Spreads the bits of a 24-bit number, with a zero between two of them. */
const spread = [
  'create function pg_temp.spread(n bigint) returns bigint language sql immutable as $$',
  'with a as (select (n | (n << 16)) & 281470681808895 as v), b as (select (v | (v << 8)) & 71777214294589695 as v from a),',
  'c as (select (v | (v << 4)) & 1085102592571150095 as v from b), d as (select (v | (v << 2)) & 3689348814741910323 as v from c)',
  'select (v | (v << 1)) & 6148914691236517205 from d $$',
].join(' ')

/** As in src/shared/geo/cells.ts. */
const cell = `create function pg_temp.cell_of(lat float8, lon float8) returns bigint language sql immutable as $$
  select 2 * pg_temp.spread(floor((1 - asinh(tan(radians(lat))) / pi()) / 2 * 16777216)::bigint)
    + pg_temp.spread(floor((lon + 180) / 360 * 16777216)::bigint) $$`

interface Sizes {
  readonly images: number
  readonly trails: number
  readonly accounts: number
  readonly now: number
}

const planOf = ({ images, trails, accounts }: Sizes, from: number, to: number): string => `
  create temp table plan on commit drop as
  with drawn as materialized (
    select i, ${share('i', 1)} as luck, ${share('i', 2)} as dice,
      case when i = 1 then ${asked.trail} else 1 + floor(${share('i', 3)} * ${trails})::bigint end as trail_id,
      case when i = 1 then ${asked.account} when i % 10 = 0 then ${heavyId}
        else ${firstMember} + floor(${share('i', 4)} * ${share('i', 5)} * ${accounts})::bigint end as submitter_id
    from generate_series(${from}::bigint, ${to}) as i),
  placed as materialized (
    select *, case when dice < 0.85 then ${latitudeOf('trail_id')} + (${share('i', 6)} - 0.5) * 0.1 end as latitude,
      case when dice < 0.85 then ${longitudeOf('trail_id')} + (${share('i', 7)} - 0.5) * 0.15 end as longitude,
      case when luck < 0.9 then 'approved' when luck < 0.98 then 'pending'
        when luck < 0.987 then 'rejected' when luck < 0.994 then 'removed' else 'deleted' end as state
    from drawn)
  select *, case i when 1 then ${asked.image} else (i::numeric * ${idStep} % ${idPrime})::bigint end as id,
    case i when 1 then '${asked.sha256}' else encode(sha256(convert_to('image ' || i, 'UTF8')), 'hex') end as sha256,
    ${firstPostedAt} + floor(i * (${lastPostedAt - firstPostedAt} / ${images}::float8))::bigint as posted_at,
    pg_temp.cell_of(latitude, longitude) as cell,
    state = 'approved' and i % 500 = 7 as is_edited, state = 'approved' and i % 1000 = 11 as is_reported
  from placed`

const once = ({ images, trails, accounts }: Sizes): readonly string[] => [
  `insert into account (id, display_name, email, email_key, role, created_at)
    select i, 'Hiker ' || i, 'hiker' || i || '@trails.example', 'hiker' || i || '@trails.example',
      case i when ${adminId} then 'admin' when 2 then 'reviewer' else 'member' end, ${firstPostedAt}
    from generate_series(1, greatest(${accounts} + ${firstMember}, 999)) as i`,
  `insert into trail (id, name, slug, version, created_at, updated_at, search, sort_key, west, south, east, north, miles)
    select i, 'Trail ' || i, 'trail-' || i, ${images} + 1, ${firstPostedAt}, ${firstPostedAt}, 'trail ' || i || chr(10) || 'trail-' || i,
      'trail ' || i, ${longitudeOf('i')} - 0.08, ${latitudeOf('i')} - 0.05, ${longitudeOf('i')} + 0.08, ${latitudeOf('i')} + 0.05, 7.5
    from (select generate_series(1, ${trails}) as i union select ${asked.trail}) as number`,
  fillTrailGrams,
  `insert into account_trail (account_id, trail_id) values (2, 3), (2, 4), (2, 5)`,
]

const ofChunk = ({ now, accounts }: Sizes): readonly string[] => [
  `insert into content (sha256, bytes, original) select sha256, 3000000 + i % 1000000, 'rebuilt' from plan order by sha256`,
  `insert into rendition (sha256, name, bytes, digest, version, parts)
    select sha256, case name when 'removed.' then name || left(sha256, 16) else name end, size, sha256, ${renditionVersion},
      case name when 'small' then json_build_array(json_build_array('640.jpeg', 54000, sha256), json_build_array('md.jpeg', 16000, sha256),
        json_build_array('150.jpeg', 6000, sha256), json_build_array('sm.jpeg', 3000, sha256), json_build_array('base.jpeg', 121000, sha256))::text end
    from plan cross join (values ('lg', 3000000), ('removed.', 9000), ('small', 200000)) as size (name, size) order by sha256`,
  `insert into image (id, seq, trail_id, submitter_id, state, title, caption, lat, lon, latitude, longitude, mime_type,
      sha256, bytes, width, height, posted_at, updated_at, accepted_title, accepted_caption, deleted_from, deleted_at,
      deleted_by, queued_at, open_reports, cell)
    select id, i, trail_id, submitter_id, state, 'Photo ' || i, 'What was seen on the way, number ' || i,
      coalesce(round(latitude::numeric, 6)::text, '0'), coalesce(round(longitude::numeric, 6)::text, '0'), latitude, longitude,
      'image/jpeg', sha256, 3000000 + i % 1000000, 4000, 3000, posted_at, posted_at,
      case when is_edited then 'Photo' end, case when is_edited then 'Before' end,
      case when state = 'deleted' then 'approved' end, case when state = 'deleted' then ${now} - i * 1000 end,
      case when state = 'deleted' then submitter_id end,
      case when state = 'pending' or is_edited or is_reported then posted_at end, is_reported::int, cell
    from plan order by id`,
  `insert into image_hash (image_id, trail_id, dhash, band_0, band_1, band_2, band_3, paired)
    select id, trail_id, lpad(to_hex(b0), 4, '0') || lpad(to_hex(b1), 4, '0') || lpad(to_hex(b2), 4, '0') || lpad(to_hex(b3), 4, '0'),
      b0, b1, b2, b3, 0 from (
      select id, trail_id, floor(${share('i', 8)} * 65536)::int as b0, floor(${share('i', 9)} * 65536)::int as b1,
        floor(${share('i', 10)} * 65536)::int as b2, floor(${share('i', 11)} * 65536)::int as b3 from plan) as hashed order by id`,
  `insert into report (id, image_id, at, reporter_id, reason, note)
    select i, id, posted_at, ${firstMember}, 'other', '' from plan where is_reported`,
  `insert into image_history (position, image_id, at, actor_id, from_state, to_state, digest)
    select 2 * i - 1, id, posted_at, submitter_id, null, 'pending', sha256 from plan
    union all select 2 * i, id, posted_at, ${adminId}, 'pending', state, sha256 from plan where state <> 'pending' order by 1`,
  `insert into outbox (position, type, at, image_id, data, trail_id, submitter_id, from_state, to_state)
    select 2 * i - 1, 'image.uploaded', posted_at, id,
      '{"imageID":' || id || ',"trailID":' || trail_id || ',"status":"pending"}', trail_id, submitter_id, null, 'pending' from plan
    union all select 2 * i, 'image.' || state, posted_at, id,
      '{"imageID":' || id || ',"trailID":' || trail_id || ',"status":"' || state || '"}', trail_id, submitter_id, 'pending', state
      from plan where state <> 'pending' order by 1`,
  `insert into route (id, account_id, name, description, length, miles, measures, gpx_bytes, visibility, revision,
      line_revision, created_at, updated_at, search)
    select id, case i when 1 then ${asked.account} else ${firstMember} + i % ${accounts} end, 'Route ' || i, '', '7.5', 7.5, '{}', 300,
      'private', 'r' || i, 'l' || i, posted_at, posted_at, 'route ' || i from plan where i % 20 = 1 order by id`,
  `insert into route_gpx (route_id, gpx) select id, convert_to('<gpx version="1.1" creator="bench" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>'
    || '<trkpt lat="46.1" lon="7.4"/><trkpt lat="46.2" lon="7.5"/></trkseg></trk></gpx>', 'UTF8') from plan where i % 20 = 1 order by id`,
]

/** What triggers and transactions would have maintained. */
const atTheEnd = ({ images }: Sizes): readonly string[] => [
  `insert into map_square (zoom, square, photos, cell, image_id)
    with spot as materialized (select cell, count(*) as photos, min(id) as id from image
      where state = 'approved' and cell is not null group by cell)
    select zoom, cell >> (48 - 2 * zoom) as square, sum(photos), min(cell), (array_agg(id order by cell))[1]
      from generate_series(${squareZooms.first}, ${squareZooms.last}) as zoom cross join spot group by 1, 2 order by 1, 2`,
  `update account set image_bytes = own.bytes
    from (select submitter_id, sum(bytes) as bytes from image group by submitter_id) as own where own.submitter_id = account.id`,
  `insert into counter (name, value) select 'images:' || state, count(*) from image group by state
    union all select 'outbox', 2 * ${images} union all select 'caught-up:hashes', max(id) from image
    union all select 'caught-up:cells', max(id) from image on conflict (name) do update set value = excluded.value`,
]

/** @param progress called with the number of images. */
export async function growPostgres(
  client: Client,
  images: number,
  progress: (images: number) => void,
): Promise<void> {
  const sizes: Sizes = {
    images,
    trails: Math.max(10, Math.min(10_000, Math.floor(images / 100))),
    accounts: Math.max(10, Math.min(20_000, Math.floor(images / 50))),
    now: Date.now(),
  }
  // Disables triggers and foreign keys in this session. Durability does not matter.
  for (const setting of ['session_replication_role = replica', 'synchronous_commit = off'])
    await client.query(`set ${setting}`)
  for (const setting of ["work_mem = '128MB'", "maintenance_work_mem = '512MB'"])
    await client.query(`set ${setting}`)
  for (const text of [spread, cell]) await client.query(text)
  const { rows: indexes } = await client.query<{ name: string; text: string }>(
    `select indexname as name, indexdef as text from pg_indexes where schemaname = 'public'
      and not exists (select from pg_constraint where conname = indexname)`,
  )
  for (const { name } of indexes) await client.query(`drop index "${name}"`)
  for (const text of once(sizes)) await client.query(text)
  for (let from = 1; from <= images; from += imagesOfChunk) {
    const to = Math.min(images, from + imagesOfChunk - 1)
    await client.query('begin')
    await client.query(planOf(sizes, from, to))
    for (const text of ofChunk(sizes)) await client.query(text)
    await client.query('commit')
    progress(to)
  }
  for (const text of atTheEnd(sizes)) await client.query(text)
  for (const { text } of indexes) await client.query(text)
  await client.query('vacuum analyze')
}
