// Chunked lists equal the list built in one step, byte for byte, after any change and with any cache size (C19, C39).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { Actor } from '../../../src/auth/guard.ts'
import { createListBodies, type ListBodies } from '../../../src/images/list/list-bodies.ts'
import { anotherPicture } from '../../helpers/leaving.ts'
import { patch, remove, restore } from '../image-client.ts'
import { bytesIn } from './list-walk.ts'
import { byKey, present, startLongList, trailId } from './long-list.ts'

const { waymark, db, ana, ben, rob, ids, inOneGo } = await startLongList(6_000)
after(() => waymark.close())

type Format = 'json' | 'xml'

const memberOf = (accountId: number): Actor => ({
  kind: 'account',
  accountId,
  role: 'member',
  scopes: new Set(),
  via: 'session',
})

async function read(bodies: ListBodies, actor: Actor, format: Format, acceptEncoding = '') {
  const { body } = await bodies.answer(actor, trailId, { format, acceptEncoding })
  const bytes = bytesIn(body)
  return { body, bytes, text: String(body.contentEncoding === 'gzip' ? gunzipSync(bytes) : bytes) }
}

const megabytesOf = { 'with room': 64, 'with room for a part': 3, 'with room for none': 0 } as const
const lists = Object.entries(megabytesOf).map(([name, megabytes]) => ({
  name,
  megabytes,
  bodies: createListBodies({ db, present, megabytes }),
}))

async function assertSame(what: string): Promise<void> {
  for (const format of ['json', 'xml'] as const) {
    const expected = await inOneGo(byKey, format)
    const etags = new Set<string>()
    for (const { name, megabytes, bodies } of lists)
      for (const coding of ['identity', 'gzip', 'gzip', 'identity']) {
        const { body, text } = await read(bodies, byKey, format, coding)
        assert.equal(body.contentEncoding, coding === 'gzip' ? 'gzip' : undefined)
        assert.ok(text === expected, `${what}: ${format} ${coding} ${name}`)
        etags.add(body.etag.replace('-gzip', ''))
        assert.ok(bodies.cachedBytes() <= megabytes * 1024 ** 2, `${name}: ${bodies.cachedBytes()}`)
      }
    // Whatever each has cached, dropped and read again: the same list has the same ETag, as on another node.
    const anew = createListBodies({ db, present, megabytes: 64 })
    etags.add((await read(anew, byKey, format)).body.etag)
    assert.equal(etags.size, 1, what)
  }
  for (const { name, bodies } of lists)
    for (const person of [ana, ben]) {
      const actor = memberOf(person.accountId)
      const { body, text } = await read(bodies, actor, 'xml', 'gzip')
      assert.equal(body.contentEncoding, undefined)
      assert.ok(text === (await inOneGo(actor, 'xml')), `${what}: own of ${person.accountId}, ${name}`)
    }
}

void test('C19 C39: a list built in pieces equals one built at once byte by byte, after any change', async () => {
  await assertSame('at first')
  const change = async (at: number) => {
    const owner = at % 1_000 === 3 ? ben : ana
    const body = { title: `Changed ${at}` }
    assert.equal((await patch(waymark, owner, ids[at] ?? 0, { body })).status, 200)
  }
  const decide = async (at: number, decision: string) =>
    assert.equal((await waymark.review(rob, ids[at] ?? 0, decision)).status, 200)
  const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['an edit in the middle', () => change(3_000)],
    ['the first one removed', () => decide(0, 'remove')],
    [
      'a whole piece removed',
      async () =>
        db
          .updateTable('image')
          .set({ state: 'removed' })
          .where('id', 'in', ids.slice(0, 400))
          .execute()
          .then(touchAll(0, 400)),
    ],
    ['the first one restored', () => decide(0, 'restore')],
    ['edits in many pieces', async () => Promise.all([500, 900, 1_003, 2_500, 4_003, 5_999].map(change))],
    ['one deleted', () => remove(waymark, ana, ids[5_000] ?? 0)],
    [
      'one uploaded and approved',
      async () => decide(ids.push(await waymark.upload(ana, trailId, await anotherPicture())) - 1, 'approve'),
    ],
    ['it is restored', () => restore(waymark, ana, ids[5_000] ?? 0)],
    [
      'another name',
      async () => waymark.app.services.recovery.changeName({ accountId: ben.accountId }, 'Benjamin'),
    ],
    ['the trail renamed', async () => waymark.addTrail(trailId, 'Rim Path')],
  ]
  for (const [what, act] of steps) {
    await act()
    await assertSame(what)
  }
})

/** Direct changes of rows are announced like those of the services: in the outbox, and by the trail's version. */
const touchAll = (from: number, to: number) => async () => {
  const model = await db
    .selectFrom('outbox')
    .selectAll()
    .where('image_id', 'is not', null)
    .limit(1)
    .executeTakeFirstOrThrow()
  await db.transaction().execute(async (tx) => {
    const { value } = await tx
      .selectFrom('counter')
      .select('value')
      .where('name', '=', 'outbox')
      .executeTakeFirstOrThrow()
    const rows = Array.from(ids.slice(from, to), (id, index) => ({
      ...model,
      position: value + 1 + index,
      image_id: id,
      trail_id: trailId,
    }))
    for (let at = 0; at < rows.length; at += 100)
      await tx
        .insertInto('outbox')
        .values(rows.slice(at, at + 100))
        .execute()
    await tx
      .updateTable('counter')
      .set({ value: value + rows.length })
      .where('name', '=', 'outbox')
      .execute()
    await tx
      .updateTable('trail')
      .set((eb) => ({ version: eb('version', '+', 1) }))
      .where('id', '=', trailId)
      .execute()
  })
}
