// What a commit reports as touched: everything that a cached response depends on, and little more.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { CompiledQuery } from 'kysely'
import { createChanges, joined } from '../../src/commits.ts'
import { openSqlite } from '../../src/database/sqlite/sqlite.ts'
import { createBeginWritten } from '../../src/database/written.ts'

const begin = createBeginWritten()

function changeOf(...texts: readonly (string | readonly string[])[]): string {
  const written = begin()
  for (const text of texts)
    written.note(typeof text === 'string' ? CompiledQuery.raw(text) : CompiledQuery.raw('touch', [...text]))
  const change = written.change()
  return change === 'everything' ? change : [...change].join(' ')
}

void test('a statement that is not known to change less invalidates everything', () => {
  const all = [
    'update "image" set "title" = ? where "id" = ?',
    'update image set title = ? where id = ?',
    'insert into "image" ("id") values (?)',
    'delete from "image" where "id" = ?',
    'update "trail" set "version" = "version" + 1, "name" = ? where "id" = ?',
    'update "trail" set "name" = ? where "id" = ?',
    'update "account" set "image_bytes" = ?, "display_name" = ? where "id" = ?',
    'update "account" set "image_bytes" = coalesce("image_bytes", ?), "route_count" = ? where "id" = ?',
    'update "account" set "role" = ?, "suspended_at" = ? where "id" = ?',
    'update "rendition" set "digest" = ? where "sha256" = ?',
    'insert into "rendition" ("sha256") values (?) on conflict ("sha256", "name") do update set "bytes" = ?',
    'update "choice" set "value" = ? where "name" = ?',
    'with gone as (delete from image returning id) select * from gone',
    'replace into image values (1)',
    'drop table "image"',
    'pragma foreign_keys = off',
    'update "a_table_of_tomorrow" set "a" = 1',
  ]
  for (const text of all) assert.equal(changeOf(text), 'everything', text)
})

void test('tables that no response depends on invalidate nothing, credentials and the feed only themselves', () => {
  const cases = {
    'select "id" from "image" where "id" = ?': '',
    'insert into "counter" ("name", "value") values (?, ?) on conflict ("name") do update set "value" = ?':
      '',
    'update "delivery" set "state" = ? where "id" = ?': '',
    'insert into "rendition" ("sha256", "name") values (?, ?)': '',
    'update "rendition" set "webp" = ? where "sha256" = ? and "name" = ?': '',
    'delete from "rendition" where "sha256" = ? and "name" in (?, ?)': '',
    'insert into "rendition" ("sha256") values (?) on conflict ("sha256", "name") do nothing': '',
    'insert into "session" ("id", "token_hash") values (?, ?)': '',
    'update "session" set "last_seen_at" = ? where "id" = ?': '',
    'update "api_key" set "last_used_at" = ? where "key_hash" = ?': '',
    'update "api_key" set "revoked_at" = ? where "prefix" = ?': 'credentials',
    'update "api_key" set "last_used_at" = ?, "revoked_at" = ? where "prefix" = ?': 'credentials',
    'delete from "session" where "id" = ?': 'credentials',
    'insert into "oauth_object" ("id_hash") values (?) on conflict ("id_hash") do update set "payload" = ?':
      'credentials',
    'delete from "outbox" where "position" < ?': 'feed',
    'insert into outbox (position) values (?)': 'feed',
    'insert into "route_shown" ("route_id") values (?) on conflict ("route_id") do nothing': 'routes',
  }
  for (const [text, tags] of Object.entries(cases)) assert.equal(changeOf(text), tags, text)
})

void test('a transaction that records events invalidates what they are about, and everything if it writes something else too', () => {
  const move = [
    'update image set title = ? where id = ?',
    'update "trail" set "version" = "version" + 1 where "id" = ?',
  ]
  const reported = ['image:5', 'trail:7', 'photos']
  assert.equal(
    changeOf(...move, reported, 'insert into outbox (position) values (?)'),
    'image:5 trail:7 photos feed',
  )
  assert.equal(changeOf(...move), 'everything')
  // Events do not contain a photo's previous place.
  for (const moved of [
    'update image set title = ?, lat = ?, latitude = ?, cell = ? where id = ?',
    'update "image" set "cell" = ? where "id" = ?',
  ]) {
    assert.equal(changeOf(moved, reported), 'squares image:5 trail:7 photos', moved)
    assert.equal(changeOf(moved), 'everything')
  }
  assert.equal(changeOf(reported, ...move, 'update "trail" set "name" = ? where "id" = ?'), 'everything')
  assert.equal(changeOf(...Array.from({ length: 301 }, (_, at) => [`image:${at}`])), 'everything')
  assert.deepEqual(joined(new Set(['a']), new Set(['b'])), new Set(['a', 'b']))
  assert.equal(joined(new Set(['a']), 'everything'), 'everything')
})

void test('a response is valid until a commit touches one of its tags, and no longer than commits are remembered', () => {
  const changes = createChanges({ look: () => undefined })
  changes.committed(new Set(['image:1']))
  const since = changes.count()
  assert.ok(changes.isUnchangedSince(since, ['image:1', 'feed']))
  changes.committed(new Set(['image:2']))
  changes.committed(new Set())
  assert.ok(changes.isUnchangedSince(since, ['image:1']))
  assert.ok(!changes.isUnchangedSince(since, ['image:1', 'image:2']))
  assert.ok(changes.isUnchangedSince(changes.count(), ['image:2']))
  for (let id = 0; id < 60_000; id += 1) changes.committed(new Set([`image:${id + 10}`]))
  assert.ok(!changes.isUnchangedSince(since, ['image:1']), 'too many to be remembered')
  const later = changes.count()
  changes.committed('everything')
  assert.ok(!changes.isUnchangedSince(later, []))
})

void test('SQLite reports its own commits when they are durable, and those of other programs when it looks', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-written-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = path.join(folder, 'waymark.sqlite')
  const [one, other] = [openSqlite(file), openSqlite(file)]
  t.after(() => Promise.all([one.close(), other.close()]))
  await one.db.executeQuery(CompiledQuery.raw('create table counter (name text, value integer)'))
  await one.db.executeQuery(CompiledQuery.raw('create table image (id integer)'))
  const { changes } = one
  changes.look()
  let since = changes.count()
  await one.db.insertInto('counter').values({ name: 'a', value: 1 }).execute()
  assert.equal(changes.count(), since)
  const inserted = one.db.transaction().execute(async (tx) => {
    await tx.executeQuery(CompiledQuery.raw('insert into image values (1)'))
    assert.equal(changes.count(), since, 'nothing is committed yet')
  })
  await inserted
  assert.ok(!changes.isUnchangedSince(since, ['feed']))
  since = changes.count()
  await assert.rejects(
    one.db.transaction().execute(async (tx) => {
      await tx.executeQuery(CompiledQuery.raw('insert into image values (2)'))
      throw new Error('taken back')
    }),
  )
  assert.equal(changes.count(), since)
  await other.db.executeQuery(CompiledQuery.raw('insert into image values (3)'))
  await new Promise(setImmediate) // it checks once per loop turn
  changes.look()
  assert.ok(!changes.isUnchangedSince(since, ['feed']))
})
