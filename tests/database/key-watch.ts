// Checks, in a PostgreSQL for tests, that shared transactions write only rows whose keys they have named.
// A trigger on each table reads the locks of its transaction. It refuses a row without a matching key, so that the
// request and its test fail.
import type { Client } from 'pg'
import { lockSpace, numberingLock, writeLock } from '../../src/database/postgres/locks.ts'

/** Rows without a key: written outside transactions, only by triggers, or by this check itself. */
const unwatched: ReadonlySet<string> = new Set([
  'rate_window',
  'outbox_pending',
  'map_square',
  'trail_gram',
  'kysely_migration',
  'kysely_migration_lock',
  'watched',
])

/** The keys of a row in the trigger's SQL, where `r` is the row. Tables not listed here require an exclusive transaction. */
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
  // By the sequencer, in its own transaction.
  outbox: 'numbers()',
  image_history: 'numbers()',
  counter: 'numbers()',
  trail: 'numbers()',
}

/** Lock spaces in pg_locks (src/database/postgres/locks.ts), repeated here on purpose. */
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

/** Installs the triggers in a database that has the schema. */
export async function watchKeys(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace`,
  )
  await client.query(functions)
  for (const { name } of rows) if (!unwatched.has(name)) await client.query(watchOf(name))
}
