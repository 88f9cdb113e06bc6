// Watches, in a PostgreSQL of tests, that whoever works side by side with others writes only rows whose keys it has named.
//
// A trigger on each table looks into the locks of its transaction. A row that belongs to none of them is refused, so that
// the request fails and with it the test that sent it.
import type { Client } from 'pg'
import { lockSpace, numberingLock, writeLock } from '../../src/database/postgres/locks.ts'

/** No rows that a key could stand for: written outside of transactions, by triggers alone, or by the watch itself. */
const unwatched: ReadonlySet<string> = new Set([
  'rate_window',
  'outbox_pending',
  'map_square',
  'trail_gram',
  'kysely_migration',
  'kysely_migration_lock',
  'watched',
])

/** How a row's keys are told, in the trigger's words: `r` is the row. Tables that are not here are for whoever is alone. */
const keys: Readonly<Record<string, string>> = {
  account: `has('account', r.id)`,
  retry: `has('account', r.account_id)`,
  content: `has_content(r.sha256)`,
  rendition: `has_content(r.sha256)`,
  image: `has('image', r.id) or (has('trail', r.trail_id) and has('account', r.submitter_id))`,
  image_distance: `has_image(r.image_id)`,
  image_hash: `has('trail', r.trail_id)`,
  claim: `has_image(r.image_id)`,
  report: `has_image(r.image_id)`,
  near_pair: `has_hash(r.image_id)`,
  route: `has('account', r.account_id)`,
  route_gpx: `has_route(r.route_id)`,
  route_shown: `has_route(r.route_id)`,
  public_route: `has_route(r.route_id)`,
  route_trail: `has_route(r.route_id)`,
  // By whoever numbers, in a transaction of its own.
  outbox: 'numbers()',
  image_history: 'numbers()',
  counter: 'numbers()',
  trail: 'numbers()',
}

/** Where a key stands in pg_locks (src/database/postgres/locks.ts); written down here a second time, on purpose. */
const spaces = { account: 7_823_744, trail: 7_823_745, image: 7_823_746, content: 7_823_747 }

const functions = `
create table watched (name text, how text, primary key (name, how));
create function holds(space bigint, id bigint) returns boolean language sql stable as $$
  select exists (select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and granted
    and mode = 'ExclusiveLock' and classid = space and objid = id) $$;
create function has(kind text, id bigint) returns boolean language sql stable as $$
  select holds(case kind when 'account' then ${spaces.account} when 'trail' then ${spaces.trail} else ${spaces.image} end,
    id % 2147483647) $$;
create function has_content(sha256 text) returns boolean language sql stable as $$
  select holds(${spaces.content}, ('x' || lpad(left(sha256, 7), 8, '0'))::bit(32)::bigint) $$;
create function numbers() returns boolean language sql stable as $$
  select holds(${lockSpace}, ${numberingLock}) $$;
create function has_image(image_id bigint) returns boolean language sql stable as $$
  select has('image', image_id) or exists (select from image where id = image_id
    and has('trail', trail_id) and has('account', submitter_id)) $$;
create function has_hash(id bigint) returns boolean language sql stable as $$
  select exists (select from image_hash where image_id = id and has('trail', trail_id)) $$;
create function has_route(route_id bigint) returns boolean language sql stable as $$
  select exists (select from route where id = route_id and has('account', account_id)) $$;
`

const watchOf = (table: string): string => `
create function watch_${table}() returns trigger language plpgsql as $$
declare r record; how text;
begin
  r := coalesce(new, old);
  if holds(${lockSpace}, ${writeLock}) then how := 'alone';
  elsif pg_trigger_depth() > 1 then return r; -- a trigger or a foreign key of a statement that is watched itself
  elsif ${keys[table] ?? 'false'} then how := 'shared';
  else raise exception 'a row of ${table} was written without its key: %', r;
  end if;
  insert into watched values ('${table}', how) on conflict do nothing;
  return r;
end $$;
create trigger watch before insert or update or delete on "${table}" for each row execute function watch_${table}();
`

/** Installs the watch in a database that has the schema. */
export async function watchKeys(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace`,
  )
  await client.query(functions)
  for (const { name } of rows) if (!unwatched.has(name)) await client.query(watchOf(name))
}
