// Random changes of everything in a trail's list; after each, the cached lists are compared with the database.
import assert from 'node:assert/strict'
import { recordAudit } from '../../../src/accounts/audit/audit.ts'
import { anonymous, type Actor } from '../../../src/auth/guard.ts'
import { scopes } from '../../../src/auth/scopes.ts'
import { decisionsFrom, type Decision } from '../../../src/shared/image-states.ts'
import type { Db } from '../../../src/database/database.ts'
import { openDatabase } from '../../../src/database/open-database.ts'
import type { MadeBody, MadePieces } from '../../../src/http/representation.ts'
import { Refusal } from '../../../src/errors.ts'
import { listListed } from '../../../src/images/image-table.ts'
import { createListBodies, type ListBodies } from '../../../src/images/list/list-bodies.ts'
import { createPresent } from '../../../src/images/present.ts'
import { createTrash } from '../../../src/images/trash/trash.ts'
import { createDeletion } from '../../../src/account-data/deletion.ts'
import { createUndo } from '../../../src/review/undo.ts'
import { createTrailManagement } from '../../../src/trails/manage-trails.ts'
import { createIdempotencyKeys } from '../../../src/idempotency/idempotency-keys.ts'
import { anotherPicture } from '../../helpers/leaving.ts'
import { startWaymark, type Waymark } from '../../helpers/waymark.ts'

export interface WalkOptions {
  readonly seed: number
  readonly steps: number
  readonly xmlEmail: 'permitted' | 'always'
}

/** As sent, in sequence. */
export const bytesIn = (body: MadeBody | MadePieces): Buffer =>
  'pieces' in body ? Buffer.concat(body.pieces) : body.bytes

const trailIds = [4711, 4712]
const dayMs = 24 * 3_600_000
const byCommand = { accountId: null, via: 'command' } as const

/** Pseudo-random numbers determined by the seed (mulberry32). */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const actorOf = (accountId: number, role: 'member' | 'reviewer' | 'admin'): Actor => ({
  kind: 'account',
  accountId,
  role,
  scopes: new Set(scopes),
  via: 'session',
})

/** The list without any cache: every image written again. */
async function listAnew(
  db: Db,
  present: ReturnType<typeof createPresent>,
  actor: Actor,
  { trailId, format }: { readonly trailId: number; readonly format: 'json' | 'xml' },
): Promise<string> {
  const texts = (await listListed(db, trailId)).map((image) => present.details(actor, image, format))
  return format === 'json'
    ? `[${texts.join(',')}]`
    : `<ArrayOfTrailImageDetails>${texts.join('')}</ArrayOfTrailImageDetails>`
}

/** @returns how many of the steps changed something. */
export async function walk({ seed, steps, xmlEmail }: WalkOptions): Promise<number> {
  const waymark = await startWaymark()
  const other = await openDatabase(waymark.installation.config.databasePlace)
  try {
    return await walkThrough(waymark, other.db, { seed, steps, xmlEmail })
  } finally {
    await other.close()
    await waymark.close()
  }
}

async function walkThrough(
  waymark: Waymark,
  otherDb: Db,
  { seed, steps, xmlEmail }: WalkOptions,
): Promise<number> {
  const random = createRandom(seed)
  const { system } = waymark
  const { database, blobs } = waymark.installation
  const { db } = database
  const now = () => system.now()
  const { upload, images, review, recovery } = waymark.app.services
  const trash = createTrash({ db, blobs, now, maxPending: 0 })
  const undo = createUndo(db, now)
  const deletion = createDeletion({ db, blobs, now, sendMail: undefined })
  const management = createTrailManagement({ db, system, retries: createIdempotencyKeys(now) })
  const present = createPresent({ imageHandlerUrl: '', xmlEmail, takenAt: 'day' })
  const lists: Readonly<Record<string, ListBodies>> = {
    'kept here': createListBodies({ db, present, megabytes: 16 }),
    'kept by another process': createListBodies({ db: otherDb, present, megabytes: 16 }),
    'with little room': createListBodies({ db, present, megabytes: 1 / 128 }),
    'with no room': createListBodies({ db, present, megabytes: 0 }),
  }
  for (const id of trailIds) await waymark.addTrail(id, `Trail ${id}`)
  const addPerson = async () => (await waymark.addPerson()).accountId
  const people = [await addPerson(), await addPerson(), await addPerson()]
  const staff = actorOf((await waymark.addPerson({ role: 'admin' })).accountId, 'admin')
  const picture = await anotherPicture()

  const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item
  const anyImage = async () => {
    const rows = await db
      .selectFrom('image')
      .select(['id', 'state', 'submitter_id as submitterId'])
      .orderBy('id')
      .execute()
    return rows.length === 0 ? undefined : pick(rows)
  }
  const memberOf = (accountId: number): Actor => actorOf(accountId, 'member')
  let names = 0
  const name = (): string => `Näme & <${(names += 1)}> / 🥾`

  const changes: Readonly<Record<string, () => Promise<unknown>>> = {
    upload: async () =>
      upload.take(
        memberOf(pick(people)),
        { trailId: pick(trailIds), key: undefined },
        (async function* () {
          yield Uint8Array.from(picture)
        })(),
      ),
    edit: async () => {
      const image = await anyImage()
      if (!image || image.state === 'deleted') return
      const change = {
        title: name(),
        caption: undefined,
        position: undefined,
        imageID: undefined,
        trailID: undefined,
      }
      await images.change(memberOf(image.submitterId), { imageId: image.id }, change)
    },
    review: async () => {
      const image = await anyImage()
      if (!image || image.state === 'deleted') return
      const decisions = decisionsFrom({ status: image.state, isEdited: false, isReported: false } as never)
      const decision: Decision = pick(decisions.length > 0 ? decisions : ['approve'])
      await review.decide(staff, image.id, { decision, reason: undefined, note: undefined })
    },
    approve: async () => {
      const pending = await db.selectFrom('image').select('id').where('state', '=', 'pending').execute()
      if (pending.length === 0) return
      await review.decide(staff, pick(pending).id, {
        decision: 'approve',
        reason: undefined,
        note: undefined,
      })
    },
    undo: async () => {
      const image = await anyImage()
      if (image) await undo.undo(staff, image.id, { note: undefined, position: undefined })
    },
    delete: async () => {
      const image = await anyImage()
      if (image) await trash.remove(staff, image.id, () => undefined)
    },
    restore: async () => {
      const deleted = await db.selectFrom('image').select('id').where('state', '=', 'deleted').execute()
      if (deleted.length > 0) await trash.restore(staff, pick(deleted).id)
    },
    purge: async () => {
      system.advance(31 * dayMs)
      await trash.purge()
    },
    'rename a person': async () => recovery.changeName({ accountId: pick(people) }, name()),
    'change an address': async () => {
      const accountId = pick(people)
      const person = { accountId, signedInAt: now(), sessionId: '' }
      await recovery.changeEmail(person, `new${(names += 1)}@trails.example`, '')
    },
    'rename a trail': async () => waymark.addTrail(pick(trailIds), name()),
    'write to the audit': async () =>
      db
        .transaction()
        .execute((tx) =>
          recordAudit(tx, { at: now(), by: byCommand, action: 'session.begun', accountId: pick(people) }),
        ),
    leave: async () => {
      const accountId = pick(people)
      await deletion.leave(accountId, pick(['keep', 'delete'] as const), byCommand)
      people.splice(people.indexOf(accountId), 1, await addPerson())
    },
    'replace a trail': async () => {
      const trailId = pick(trailIds)
      const rows = await db.selectFrom('image').select('id').where('trail_id', '=', trailId).execute()
      for (const { id } of rows) await trash.remove(staff, id, () => undefined).catch(() => undefined)
      system.advance(31 * dayMs)
      await trash.purge()
      await management.remove(byCommand, trailId, () => undefined)
      system.advance(1)
      await waymark.addTrail(trailId, `Trail ${trailId}`)
    },
  }
  const often = ['upload', 'approve', 'upload', 'approve', 'edit', 'review', 'delete']
  const kinds = [...Object.keys(changes), ...often, ...often]
  /** Each change once, with its preconditions; then at random. */
  const first = [...often, ...Object.keys(changes)]

  async function assertEqual(history: readonly string[]): Promise<void> {
    const key: Actor = { kind: 'key', keyHash: '', accountId: 0 }
    const members = Object.fromEntries(people.map((id) => [`member ${id}`, memberOf(id)]))
    const readersOf: Readonly<Record<'json' | 'xml', Readonly<Record<string, Actor>>>> = {
      json: { key, staff },
      xml: { key, staff, ...members },
    }
    for (const trailId of trailIds)
      for (const format of ['json', 'xml'] as const)
        for (const [reader, actor] of Object.entries(readersOf[format])) {
          const expected = await listAnew(db, present, actor, { trailId, format })
          for (const [which, bodies] of Object.entries(lists)) {
            const asked = { format, acceptEncoding: 'identity' }
            const { body } = await bodies.answer(actor, trailId, asked)
            const message = `seed ${seed}, ${which}, ${format} of ${trailId} for ${reader}, after ${history.slice(-12).join(', ')}`
            assert.equal(bytesIn(body).toString(), expected, message)
            const { body: again } = await bodies.answer(actor, trailId, asked)
            assert.equal(bytesIn(again).toString(), expected, `${message}, again`)
            // The same object: it was cached and not written again.
            if (which === 'kept here' && (format === 'json' || reader === 'key'))
              assert.equal(again, body, message)
          }
        }
  }

  const history: string[] = []
  for (let step = 0; step < steps; step += 1) {
    const kind = first[step] ?? pick(kinds)
    // Some requests run during the change; whatever they return, later ones must show it.
    const meanwhile = Object.values(lists).flatMap((bodies) =>
      random(3) > 0
        ? []
        : trailIds.map((id) => bodies.answer(anonymous, id, { format: 'json', acceptEncoding: '' })),
    )
    const change = changes[kind]?.().then(
      () => history.push(kind),
      (error: unknown) => {
        if (!(error instanceof Refusal)) throw error
      },
    )
    await change
    if (random(4) > 0) await assertEqual(history)
    await Promise.allSettled(meanwhile)
  }
  await assertEqual(history)
  return history.length
}
