// Recipients of each event, compared with what each of them can GET (contract, Part D; trust 16).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { eventTypes, type EventTypeOf } from '../../src/shared/event-types.ts'
import type { ImageState } from '../../src/database/schema.ts'
import { newestPosition, recordMove } from '../../src/events/outbox.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { bearer, openStream, receiveAll, type ReceivedEvent, type Stream } from './listener.ts'

const waymark = await startWaymark({ heartbeatMs: 100 })
after(() => waymark.close())
const { db } = waymark.installation.database
await waymark.addTrail(7, 'Seven')
await waymark.addTrail(8, 'Eight')

const submitter = await waymark.addPerson({ name: 'submitter' })
const member = await waymark.addPerson({ name: 'member' })
const here = await waymark.addPerson({ name: 'reviewer of the trail', role: 'reviewer' })
const elsewhere = await waymark.addPerson({ name: 'reviewer of another trail', role: 'reviewer' })
const anyReviewer = await waymark.addPerson({ name: 'reviewer', role: 'reviewer' })
const admin = await waymark.addPerson({ name: 'admin', role: 'admin' })
await db
  .insertInto('account_trail')
  .values([
    { account_id: here.accountId, trail_id: 7 },
    { account_id: elsewhere.accountId, trail_id: 8 },
  ])
  .execute()

const noReview = 'images:read images:write routes:read routes:write'
const actors: Readonly<Record<string, string>> = {
  submitter: submitter.token,
  'submitter who may not read images': await waymark.tokenFor(
    submitter.accountId,
    'images:write routes:read routes:write',
  ),
  'submitter who may not read routes': await waymark.tokenFor(
    submitter.accountId,
    'images:read routes:write',
  ),
  member: member.token,
  'reviewer of the trail': here.token,
  'reviewer of the trail who may not review': await waymark.tokenFor(here.accountId, noReview),
  'reviewer of another trail': elsewhere.token,
  'reviewer of all': anyReviewer.token,
  'reviewer who may not read images': await waymark.tokenFor(anyReviewer.accountId, 'images:review'),
  admin: admin.token,
  'admin who may not review': await waymark.tokenFor(admin.accountId, noReview),
}
const names = Object.keys(actors)

/** Those who can get it now. */
async function whoGets(path: string): Promise<Set<string>> {
  const statuses = await Promise.all(
    names.map(async (name) => {
      const { status } = await waymark.fetch(path, { token: actors[name] ?? '' })
      assert.ok([200, 401, 403, 404].includes(status), `${name} ${path}: ${status}`)
      return status
    }),
  )
  return new Set(names.filter((_, index) => statuses[index] === 200))
}

interface Step {
  readonly position: number
  readonly imageId: number | undefined
  readonly routeId: number | undefined
  readonly type: string
  /** Those who could get it just before. */
  readonly before: ReadonlySet<string>
  /** Those who could get it just after. */
  readonly after: ReadonlySet<string>
}

const steps: Step[] = []
const streams = new Map<string, Stream>()
for (const name of names)
  streams.set(name, await openStream(waymark, { headers: bearer({ token: actors[name] ?? '' }) }))
after(() => Promise.all([...streams.values()].map((stream) => stream.close())))

const pathOf = (imageId: number) => `/v2/images/${imageId}`
let pictures = 0

/** Runs an action with one event, and records who could get its subject before and after. */
async function step(
  thing: { readonly imageId?: number; readonly routeId?: number },
  act: () => Promise<unknown>,
): Promise<void> {
  const path = thing.imageId === undefined ? `/v2/routes/${thing.routeId ?? 0}` : pathOf(thing.imageId)
  const before = await whoGets(path)
  await act()
  const position = await newestPosition(db)
  const { type } = await db
    .selectFrom('outbox')
    .select('type')
    .where('position', '=', position)
    .executeTakeFirstOrThrow()
  const { imageId, routeId } = thing
  steps.push({ position, imageId, routeId, type, before, after: await whoGets(path) })
}

async function upload(): Promise<number> {
  pictures += 1
  const imageId = await waymark.upload(submitter, 7, await jpegPicture({ width: 20 + pictures, height: 9 }))
  const position = await newestPosition(db)
  const after = await whoGets(pathOf(imageId))
  steps.push({ position, imageId, routeId: undefined, type: 'image.uploaded', before: new Set(), after })
  return imageId
}

/** A move by the functions that all endpoints use. */
const move = (imageId: number, type: EventTypeOf<'image'>, to: ImageState) =>
  step({ imageId }, () =>
    db.transaction().execute(async (tx) => {
      const { state: from } = await tx
        .selectFrom('image')
        .select('state')
        .where('id', '=', imageId)
        .executeTakeFirstOrThrow()
      await tx.updateTable('image').set({ state: to }).where('id', '=', imageId).execute()
      const at = waymark.system.now()
      const whose = { trailId: 7, submitterId: submitter.accountId, actorId: admin.accountId }
      await recordMove(tx, { type, at, imageId, ...whose, from, to })
    }),
  )

const moves: Readonly<Record<string, readonly [EventTypeOf<'image'>, ImageState]>> = {
  approve: ['image.approved', 'approved'],
  reject: ['image.rejected', 'rejected'],
  remove: ['image.removed', 'removed'],
  reopen: ['image.reopened', 'pending'],
  update: ['image.updated', 'approved'],
  delete: ['image.deleted', 'deleted'],
}

/** An image that is uploaded and then moved; it stays in the last state. */
async function walk(words: string): Promise<number> {
  const imageId = await upload()
  for (const word of words.split(' ').filter((one) => one !== '')) {
    const [type, to] = moves[word] ?? moves['delete']!
    await move(imageId, type, to)
  }
  return imageId
}

await walk('')
await walk('approve')
await walk('reject')
await walk('approve remove')
await walk('approve reopen')
await walk('approve update')
await walk('approve remove reopen reject')
await walk('delete')
await walk('approve delete')
await walk('reject delete')
const restored = await walk('approve delete')
await move(restored, 'image.restored', 'approved')
const restoredPending = await walk('delete')
await move(restoredPending, 'image.restored', 'pending')
for (const words of ['approve delete', 'delete', 'reject delete', 'approve remove delete']) {
  const imageId = await walk(words)
  await db.deleteFrom('image').where('id', '=', imageId).execute() // gone for good
}
const body = (fields: object): RequestInit => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(fields),
})
const own = { token: submitter.token }
for (const visibility of ['private', 'public']) {
  const made = await waymark.fetch(`/v2/accounts/${submitter.accountId}/routes`, {
    method: 'POST',
    ...own,
    ...body({ name: 'Loop', visibility }),
  })
  assert.equal(made.status, 201)
  const { routeID: routeId } = (await made.json()) as { routeID: number }
  const position = await newestPosition(db)
  const after = await whoGets(`/v2/routes/${routeId}`)
  steps.push({ position, imageId: undefined, routeId, type: 'route.created', before: new Set(), after })
  await step({ routeId }, () =>
    waymark.fetch(`/v2/routes/${routeId}`, { method: 'PATCH', ...own, ...body({ name: 'Loop 2' }) }),
  )
  await step({ routeId }, () => waymark.fetch(`/v2/routes/${routeId}`, { method: 'DELETE', ...own }))
}

const newest = await newestPosition(db)
const gotNow = new Map<number, Set<string>>()
for (const imageId of new Set(steps.flatMap(({ imageId }) => imageId ?? [])))
  gotNow.set(imageId, await whoGets(pathOf(imageId)))

/** Route events go only to their owner, if the token may read routes, even for public routes. */
const hearsOfRoutes = (name: string): boolean =>
  ['submitter', 'submitter who may not read images'].includes(name)

const positionsOf = (received: readonly ReceivedEvent[]): number[] => received.map(({ position }) => position)

function expected(name: string, isAsked: (step: Step) => boolean = () => true): number[] {
  return steps
    .filter(isAsked)
    .filter(({ imageId, before }) =>
      imageId === undefined
        ? hearsOfRoutes(name)
        : before.has(name) || (gotNow.get(imageId)?.has(name) ?? false),
    )
    .map(({ position }) => position)
}

void test('the random walks produce every type of event, and every position', () => {
  assert.deepEqual(new Set(steps.map(({ type }) => type)), new Set<string>(eventTypes))
  assert.deepEqual(
    steps.map(({ position }) => position),
    Array.from({ length: newest }, (_, index) => index + 1),
  )
})

void test('trust 16: the feed shows each caller exactly what they may see now or could see just before the event', async () => {
  for (const name of names) {
    const received = await receiveAll(waymark, bearer({ token: actors[name] ?? '' }))
    assert.deepEqual(positionsOf(received), expected(name), name)
  }
  assert.deepEqual(expected('reviewer who may not read images'), [])
  assert.ok(expected('reviewer of the trail').length > expected('member').length)
})

void test('trust 16: no filter of the feed shows more', async () => {
  for (const name of names) {
    for (const types of ['image.uploaded', 'image.deleted,image.removed', 'route.created,route.deleted']) {
      const received = await receiveAll(
        waymark,
        bearer({ token: actors[name] ?? '' }),
        `&types=${types}&limit=2`,
      )
      const wanted = expected(name, ({ type }) => types.split(',').includes(type))
      assert.deepEqual(positionsOf(received), wanted, `${name} ${types}`)
    }
  }
})

void test('trust 16: a stream from the beginning delivers the same as the feed', async () => {
  await Promise.all(
    names.map(async (name) => {
      const headers = bearer({ token: actors[name] ?? '' })
      const stream = await openStream(waymark, { headers, query: '?since=0' })
      await stream.reaches(newest)
      assert.deepEqual(positionsOf(stream.events()), expected(name), name)
      await stream.close()
    }),
  )
})

void test('trust 16: a stream delivers live what its listener could see just before, and nothing that they may not see now', async () => {
  const end = await newestPosition(db)
  for (const [name, stream] of streams) {
    await stream.reaches(end)
    const reported = new Set(positionsOf(stream.events()))
    for (const { position, imageId, type, before } of steps) {
      const gotSince = steps.some(
        (later) => later.imageId === imageId && later.position >= position && later.after.has(name),
      )
      const message = `${name}: ${type} at ${position}`
      if (imageId === undefined) assert.equal(reported.has(position), hearsOfRoutes(name), message)
      else if (before.has(name)) assert.ok(reported.has(position), message)
      else assert.ok(!reported.has(position) || gotSince, message)
    }
  }
})
