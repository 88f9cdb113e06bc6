// Fills a freshly migrated SQLite file with any number of images, as on a server after four years of use. It uses only
// INSERT … SELECT, so a million take less than a minute.
// Everything is derived from the number of the image, so two databases of one size are identical. Image files and valid
// digests of the history are missing, so `check --audit` and `check` with files do not apply.
import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { squareZooms } from '../../src/database/map-squares.ts'
import { fillTrailGrams } from '../../src/database/trail-grams.ts'
import { cellOf } from '../../src/shared/geo/cells.ts'

export interface Grown {
  readonly images: number
  readonly trails: number
  /** A trail with exactly 20 listed images, and one with exactly 100 if there are at least a thousand images. */
  readonly trailOf20: number
  readonly trailOf100: number
  /** An ordinary trail. */
  readonly trail: number
  /** The submitter of a tenth of all images, an ordinary account, an admin, and a reviewer limited to some trails. */
  readonly heavyId: number
  readonly memberId: number
  readonly adminId: number
  readonly limitedId: number
  readonly limitedTrails: readonly number[]
  /** An approved image with a position, from the middle of the period. */
  readonly imageId: number
  /** An image on tile 6/33/22, or `imageId` if there is none, as with a hundred images. */
  readonly imageInAlps: number
  readonly routeId: number
  readonly routeOwnerId: number
  readonly newestPosition: number
}

/** A prime, and a multiplier below it: ids as random as those of src/system.ts, without duplicates. */
const idPrime = 9_007_199_254_740_881n
const idStep = 5_566_755_282_871n

const idOf = (image: number): number => Number((BigInt(image) * idStep) % idPrime)

const firstPostedAt = Date.UTC(2022, 4, 1)
const lastPostedAt = Date.UTC(2026, 4, 1)

const trailOf20 = 1
const trailOf100 = 2
const firstTrail = 3
const adminId = 1
const limitedId = 2
const heavyId = 3
const memberId = 4

/** A uniform pseudo-random share from 0 to 1, derived from the number and the salt, in pure SQL for speed. */
const share = (number: string, salt: number): string =>
  `((${number} * ${2_654_435_761 + salt * 40_503_014} + ${salt * 997}) % 2147483647 / 2147483647.0)`

/** Mountains: two of three trails are in the Alps, the others in the Rockies. */
const latitudeOf = (trail: string): string =>
  `(case when ${trail} % 3 then 44 + 4 * ${share(trail, 5)} else 34 + 15 * ${share(trail, 5)} end)`
const longitudeOf = (trail: string): string =>
  `(case when ${trail} % 3 then 6 + 9 * ${share(trail, 6)} else -123 + 19 * ${share(trail, 6)} end)`

function addFunctions(connection: DatabaseSync): void {
  connection.function('sha_of', { deterministic: true }, (image) =>
    createHash('sha256')
      .update(`image ${String(image)}`)
      .digest('hex'),
  )
  connection.function('cell_of', { deterministic: true }, (latitude, longitude) =>
    cellOf(Number(latitude), Number(longitude)),
  )
}

/** Everything derived from the number of the image alone, computed once. The inserts below read it in any order. */
const plan = `create temp table plan as
  with recursive number (i) as (select 1 union all select i + 1 from number where i < $images),
  drawn as materialized (
    select i, ${share('i', 1)} as luck, ${share('i', 2)} as dice,
      case when i <= 20 then ${trailOf20}
        when i between 101 and 200 and $images >= 1000 then ${trailOf100}
        else ${firstTrail} + cast(${share('i', 3)} * ($trails - ${firstTrail} + 1) as integer) end as trail_id,
      case when i % 10 = 0 then ${heavyId}
        else ${memberId} + cast(${share('i', 4)} * ${share('i', 5)} * $accounts as integer) end as submitter_id
    from number),
  placed as materialized (
    select *, case when dice < 0.85 then round(${latitudeOf('trail_id')} + (${share('i', 6)} - 0.5) * 0.1, 6) end as latitude,
      case when dice < 0.85 then round(${longitudeOf('trail_id')} + (${share('i', 7)} - 0.5) * 0.15, 6) end as longitude,
      case when i <= 20 or trail_id = ${trailOf100} or luck < 0.9 then 'approved' when luck < 0.98 then 'pending'
        when luck < 0.987 then 'rejected' when luck < 0.994 then 'removed' else 'deleted' end as state
    from drawn)
  select i, i * ${idStep} % ${idPrime} as id, state, sha_of(i) as sha256, trail_id, submitter_id, latitude, longitude,
    ${firstPostedAt} + cast(i * (${lastPostedAt - firstPostedAt} / cast($images as real)) as integer) as posted_at,
    case when latitude is not null then cell_of(latitude, longitude) end as cell,
    state = 'approved' and i > 200 and i % 500 = 7 as is_edited,
    state = 'approved' and i > 200 and i % 1000 = 11 as is_reported
  from placed`

/** In key order, so that tables grow at their ends. */
const inserts = [
  `insert into account (id, display_name, email, email_key, role, created_at)
    with recursive number (i) as (select 1 union all select i + 1 from number where i < $accounts + ${memberId})
    select i, 'Hiker ' || i, 'hiker' || i || '@trails.example', 'hiker' || i || '@trails.example',
      case i when ${adminId} then 'admin' when ${limitedId} then 'reviewer' else 'member' end, ${firstPostedAt}
    from number`,
  `insert into trail (id, name, slug, version, created_at, updated_at, search, sort_key, west, south, east, north, miles)
    with recursive number (i) as (select 1 union all select i + 1 from number where i < $trails)
    select i, 'Trail ' || i, 'trail-' || i, $images + 1, ${firstPostedAt}, ${firstPostedAt}, 'trail ' || i || char(10) || 'trail-' || i,
      'trail ' || i, ${longitudeOf('i')} - 0.08, ${latitudeOf('i')} - 0.05,
      ${longitudeOf('i')} + 0.08, ${latitudeOf('i')} + 0.05, 7.5
    from number`,
  fillTrailGrams, // the triggers are dropped in the meantime
  `insert into account_trail (account_id, trail_id) values (${limitedId}, 3), (${limitedId}, 4), (${limitedId}, 5)`,
  `insert into content (sha256, bytes, original)
    select sha256, 3000000 + i % 1000000, 'rebuilt' from plan order by sha256`,
  `insert into rendition (sha256, name, bytes, digest, parts)
    select sha256, name || case name when 'removed.' then substr(sha256, 1, 16) else '' end, size, sha256,
      case name when 'small' then json_array(json_array('640.jpeg', 54000, sha256), json_array('md.jpeg', 16000, sha256),
        json_array('150.jpeg', 6000, sha256), json_array('sm.jpeg', 3000, sha256), json_array('base.jpeg', 121000, sha256)) end
      from (select sha256 from content order by sha256)
      cross join (select 'lg' as name, 3000000 as size union all select 'removed.', 9000 union all select 'small', 200000)`,
  `insert into image (id, seq, trail_id, submitter_id, state, title, caption, lat, lon, latitude, longitude, mime_type,
      sha256, bytes, width, height, posted_at, updated_at, accepted_title, accepted_caption, deleted_from, deleted_at,
      deleted_by, queued_at, open_reports, cell)
    select id, i, trail_id, submitter_id, state, 'Photo ' || i, 'What was seen on the way, number ' || i,
      coalesce(cast(latitude as text), '0'), coalesce(cast(longitude as text), '0'), latitude, longitude, 'image/jpeg',
      sha256, 3000000 + i % 1000000, 4000, 3000, posted_at, posted_at,
      case when is_edited then 'Photo' end, case when is_edited then 'Before' end,
      case when state = 'deleted' then 'approved' end, case when state = 'deleted' then $now - i * 1000 end,
      case when state = 'deleted' then submitter_id end,
      case when state = 'pending' or is_edited or is_reported then posted_at end, is_reported, cell
    from plan order by id`,
  // What the triggers, dropped in the meantime, would have stored. With min(), SQLite returns the id of the same row.
  `insert into map_square (zoom, square, photos, cell, image_id)
    with recursive zoom (zoom) as (select ${squareZooms.first} union all select zoom + 1 from zoom where zoom < ${squareZooms.last}),
    spot as materialized (select cell, count(*) as photos, min(id) as id from plan
      where state = 'approved' and cell is not null group by cell)
    select zoom, cell >> (48 - 2 * zoom) as square, sum(photos), min(cell), id from zoom cross join spot group by 1, 2`,
  `insert into image_hash (image_id, trail_id, dhash, band_0, band_1, band_2, band_3, paired)
    select id, trail_id, printf('%04x%04x%04x%04x', b0, b1, b2, b3), b0, b1, b2, b3, 0 from (
      select id, trail_id, cast(${share('i', 8)} * 65536 as integer) as b0, cast(${share('i', 9)} * 65536 as integer) as b1,
        cast(${share('i', 10)} * 65536 as integer) as b2, cast(${share('i', 11)} * 65536 as integer) as b3 from plan)
    order by id`,
  `insert into report (id, image_id, at, reporter_id, reason, note)
    select i, id, posted_at, ${memberId}, 'other', '' from plan where is_reported order by i`,
  // Each image was uploaded, and all but the pending ones were decided on: two rows, one after the other.
  `insert into image_history (position, image_id, at, actor_id, from_state, to_state, digest)
    select 2 * i - 1, id, posted_at, submitter_id, null, 'pending', sha256 from plan
    union all select 2 * i, id, posted_at, ${adminId}, 'pending', state, sha256 from plan where state <> 'pending'
    order by 1`,
  `insert into outbox (position, type, at, image_id, data, trail_id, submitter_id, from_state, to_state)
    select 2 * i - 1, 'image.uploaded', posted_at, id,
      '{"imageID":' || id || ',"trailID":' || trail_id || ',"status":"pending"}', trail_id, submitter_id, null, 'pending' from plan
    union all select 2 * i, 'image.' || state, posted_at, id,
      '{"imageID":' || id || ',"trailID":' || trail_id || ',"status":"' || state || '"}', trail_id, submitter_id, 'pending', state
      from plan where state <> 'pending'
    order by 1`,
  `update account set image_bytes = own.bytes
    from (select submitter_id, sum(3000000 + i % 1000000) as bytes from plan group by submitter_id) as own
    where own.submitter_id = account.id`,
  `insert or replace into counter (name, value) select 'images:' || state, count(*) from plan group by state
    union all select 'outbox', 2 * $images
    union all select 'caught-up:hashes', max(id) from plan union all select 'caught-up:cells', max(id) from plan`,
  `insert into route (id, account_id, name, description, length, miles, measures, gpx_bytes, visibility, revision,
      line_revision, created_at, updated_at, search)
    select id, ${memberId} + i % $accounts, 'Route ' || i, '', '7.5', 7.5, '{}', 300, 'private', 'r' || i, 'l' || i, posted_at,
      posted_at, 'route ' || i from plan where i % 20 = 1 order by id`,
  `insert into route_gpx (route_id, gpx) select id, cast('<gpx version="1.1" creator="bench" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>' ||
      '<trkpt lat="46.1" lon="7.4"/><trkpt lat="46.2" lon="7.5"/></trkseg></trk></gpx>' as blob) from route order by id`,
]

interface IndexRow {
  readonly type: string
  readonly name: string
  readonly sql: string
}

/** Creating indexes after the rows is faster, since rows are sorted once. The same applies to what triggers maintain. */
function withoutIndexes(connection: DatabaseSync, work: () => void): void {
  const rows = connection
    .prepare(
      `select type, name, sql from sqlite_master where type in ('index', 'trigger') and sql is not null`,
    )
    .all() as unknown as IndexRow[]
  for (const { type, name } of rows) connection.exec(`drop ${type} "${name}"`)
  work()
  for (const { sql } of rows) connection.exec(sql)
}

const bound = (text: string, values: Readonly<Record<string, number>>): string =>
  text.replaceAll(/\$(\w+)/g, (_whole, name: string) => String(values[name]))

/**
 * @param file an empty database with the current schema, not open elsewhere.
 * @param now determines the age of the trash, as for a server started at this time.
 */
export function growDatabase(file: string, images: number, now: number): Grown {
  const connection = new DatabaseSync(file)
  const trails = Math.max(10, Math.min(10_000, Math.floor(images / 100)))
  const accounts = Math.max(10, Math.min(20_000, Math.floor(images / 50)))
  const values = { images, trails, accounts, now }
  // Durability does not matter.
  const settings = ['synchronous = off', 'journal_mode = off', 'cache_size = -400000', 'temp_store = memory']
  for (const setting of [...settings, 'foreign_keys = off', 'threads = 2'])
    connection.exec(`pragma ${setting}`)
  addFunctions(connection)
  connection.exec('begin')
  connection.exec(bound(plan, values))
  withoutIndexes(connection, () => {
    for (const insert of inserts) connection.exec(bound(insert, values))
  })
  connection.exec('commit')
  const middle = connection
    .prepare(
      `select id from plan where state = 'approved' and latitude is not null and i >= ? order by i limit 1`,
    )
    .get(Math.floor(images / 2)) as unknown as { id: number }
  const alpine = connection
    .prepare(
      `select image.id from map_square join image on image.id = map_square.image_id
        where zoom = 11 and latitude between 46 and 48 and longitude between 7 and 11 limit 1`,
    )
    .get() as unknown as { id: number } | undefined
  connection.exec('pragma journal_mode = wal')
  connection.close()
  return {
    images,
    trails,
    trailOf20,
    trailOf100,
    trail: firstTrail + 2,
    heavyId,
    memberId,
    adminId,
    limitedId,
    limitedTrails: [3, 4, 5],
    imageId: middle.id,
    imageInAlps: alpine?.id ?? middle.id,
    routeId: idOf(1),
    routeOwnerId: memberId + 1,
    newestPosition: 2 * images,
  }
}
